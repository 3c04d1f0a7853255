<?php
// SPDX-License-Identifier: MIT
//
// Laravel's atomic lock on phpredis, which waits for up to 30 s.
require 'Illuminate/Cache/autoload.php';
require 'Illuminate/Redis/autoload.php';

use Illuminate\Cache\RedisStore;
use Illuminate\Redis\RedisManager;

$at = ['host' => getenv('REDIS_HOST'), 'port' => (int) getenv('REDIS_PORT')];
$redis = new RedisManager(null, 'phpredis', ['default' => $at]);
$store = new RedisStore($redis);
for ($round = 0; $round < 2; ++$round) {
    $store->lock('stock', 1)->block(30, function () use ($redis) {
        $redis->connection()->client()->rawCommand('INTERLOCK.ENTER', 'stock');
        // ... take something out of stock ...
        $redis->connection()->client()->rawCommand('INTERLOCK.LEAVE', 'stock');
    });
}
