<?php
// SPDX-License-Identifier: MIT
//
// symfony/semaphore on phpredis: two of three clients at a time.
require 'Symfony/Component/Semaphore/autoload.php';

use Symfony\Component\Semaphore\SemaphoreFactory;
use Symfony\Component\Semaphore\Store\RedisStore;

$server = new Redis();
$server->connect(getenv('REDIS_HOST'), (int) getenv('REDIS_PORT'));
$factory = new SemaphoreFactory(new RedisStore($server));
for ($round = 0; $round < 2; ++$round) {
    $semaphore = $factory->createSemaphore('stock', 2, 1, 5.0);
    while (!$semaphore->acquire()) {
        usleep(50_000);
    }
    $server->rawCommand('INTERLOCK.ENTER', 'stock');
    usleep(100_000); // ... take something out of stock ...
    $server->rawCommand('INTERLOCK.LEAVE', 'stock');
    $semaphore->release();
}
