<?php
// SPDX-License-Identifier: MIT
//
// phpredis' session handler with locking: one request of a session at a time.
$at = sprintf('tcp://%s:%s', getenv('REDIS_HOST'), getenv('REDIS_PORT'));
ini_set('session.save_handler', 'redis');
ini_set('session.save_path', $at);
ini_set('session.use_cookies', '0');
ini_set('session.use_strict_mode', '0');
ini_set('session.cache_limiter', '');
ini_set('redis.session.locking_enabled', '1');
ini_set('redis.session.lock_expire', '2');
ini_set('redis.session.lock_wait_time', '50000');
ini_set('redis.session.lock_retries', '-1');

$server = new Redis();
$server->connect(getenv('REDIS_HOST'), (int) getenv('REDIS_PORT'));
for ($round = 0; $round < 2; ++$round) {
    session_id('stock');
    session_start();
    $server->rawCommand('INTERLOCK.ENTER', 'stock');
    $_SESSION['taken'] = ($_SESSION['taken'] ?? 0) + 1;
    $server->rawCommand('INTERLOCK.LEAVE', 'stock');
    session_write_close();
}
