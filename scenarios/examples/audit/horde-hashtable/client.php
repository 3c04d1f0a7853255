<?php
// SPDX-License-Identifier: MIT
//
// The lock of Horde's hash table on Predis.
require 'Predis/autoload.php';
spl_autoload_register(fn ($name) => include strtr($name, '_', '/') . '.php');

$server = new Predis\Client(getenv('REDIS_URL'));
$table = new Horde_HashTable_Predis(['predis' => $server]);
for ($round = 0; $round < 2; ++$round) {
    $table->lock('stock');
    $server->executeRaw(['INTERLOCK.ENTER', 'stock']);
    // ... take something out of stock ...
    $server->executeRaw(['INTERLOCK.LEAVE', 'stock']);
    $table->unlock('stock');
}
