<?php
// SPDX-License-Identifier: MIT
//
// symfony/lock on phpredis: a lock that waits until it is free.
require 'Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

$server = new Redis();
$server->connect(getenv('REDIS_HOST'), (int) getenv('REDIS_PORT'));
$factory = new LockFactory(new RedisStore($server));
for ($round = 0; $round < 2; ++$round) {
    $lock = $factory->createLock('stock', 1.0);
    $lock->acquire(true);
    $server->rawCommand('INTERLOCK.ENTER', 'stock');
    // ... take something out of stock ...
    $server->rawCommand('INTERLOCK.LEAVE', 'stock');
    $lock->release();
}
