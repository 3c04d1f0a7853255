<?php
// SPDX-License-Identifier: MIT
//
// malkusch/lock on phpredis.
require 'Malkusch/Lock/autoload.php';

use malkusch\lock\mutex\PHPRedisMutex;

$server = new Redis();
$server->connect(getenv('REDIS_HOST'), (int) getenv('REDIS_PORT'));
$mutex = new PHPRedisMutex([$server], 'stock', 3);
for ($round = 0; $round < 2; ++$round) {
    $mutex->synchronized(function () use ($server) {
        $server->rawCommand('INTERLOCK.ENTER', 'stock');
        // ... take something out of stock ...
        $server->rawCommand('INTERLOCK.LEAVE', 'stock');
    });
}
