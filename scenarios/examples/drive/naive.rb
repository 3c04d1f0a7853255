# SPDX-License-Identifier: MIT
#
# A lock whose time to live is set by a second command: who dies between the two leaves it locked for
# ever. For `interlock drive -- ruby naive.rb`, which finds that out.
require "redis"

server = Redis.new(url: ENV.fetch("REDIS_URL"))
2.times do
  sleep 0.01 until server.setnx("lock:stock", 1)
  server.pexpire("lock:stock", 500)
  server.call("INTERLOCK.ENTER", "stock")
  # ... take something out of stock ...
  server.call("INTERLOCK.LEAVE", "stock")
  server.del("lock:stock")
end
