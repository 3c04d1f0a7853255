<?php
// SPDX-License-Identifier: MIT
//
// Laravel's funnel on phpredis: two of three clients at a time.
require 'Illuminate/Redis/autoload.php';

use Illuminate\Redis\RedisManager;

$at = ['host' => getenv('REDIS_HOST'), 'port' => (int) getenv('REDIS_PORT')];
$redis = (new RedisManager(null, 'phpredis', ['default' => $at]))->connection();
for ($round = 0; $round < 2; ++$round) {
    $redis->funnel('stock')->limit(2)->releaseAfter(5)->block(30)->then(function () use ($redis) {
        $redis->client()->rawCommand('INTERLOCK.ENTER', 'stock');
        usleep(100_000); // ... take something out of stock ...
        $redis->client()->rawCommand('INTERLOCK.LEAVE', 'stock');
    });
}
