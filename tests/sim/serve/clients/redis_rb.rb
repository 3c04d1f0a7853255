# SPDX-License-Identifier: MIT
#
# ruby-redis against a served Redis; the port is the first argument. Fails by an exception.
require "redis"

PORT = Integer(ARGV[0])

def client
  Redis.new(host: "127.0.0.1", port: PORT, timeout: 10)
end

def check(condition, what)
  raise what unless condition
end

redis = client
redis.flushall
check(redis.set("k", "v", px: 60_000) == "OK" && redis.get("k") == "v", "SET and GET")
check(redis.set("k", "w", nx: true) == false, "SET NX")
check(redis.hset("h", "a", 1, "b", 2) == 2 && redis.hgetall("h") == { "a" => "1", "b" => "2" }, "hash")
check(redis.zadd("z", 1.5, "a") && redis.zscore("z", "a") == 1.5, "sorted set")
check(redis.scan_each.to_a.sort == %w[h k z], "SCAN")
check(redis.pipelined { |p| 500.times { |i| p.rpush("l", i) } }.last == 500, "pipeline")
check(redis.blpop("l", timeout: 1) == %w[l 0], "BLPOP")
check(redis.blpop("missing", timeout: 0.1).nil?, "BLPOP time-out")
check(redis.multi { |m| m.incr("n"); m.incr("n") } == [1, 2], "MULTI")

sha = redis.script(:load, "return redis.call('incrby', KEYS[1], ARGV[1])")
check(redis.evalsha(sha, keys: ["n"], argv: [3]) == 5, "EVALSHA")
begin
  redis.evalsha("0" * 40)
  raise "EVALSHA of an unknown script"
rescue Redis::CommandError => e
  check(e.message.start_with?("NOSCRIPT"), e.message)
end

waiter = Thread.new { client.blpop("handed", timeout: 10) }
redis.rpush("handed", "over")
check(waiter.value == %w[handed over], "hand-over")

heard = Queue.new
listener = Thread.new do
  client.subscribe("news") do |on|
    on.subscribe { heard << :ready }
    on.message do |_, message|
      heard << message
      Thread.exit
    end
  end
end
check(heard.pop == :ready && redis.publish("news", "hello") == 1 && heard.pop == "hello", "PUBLISH")
listener.join
puts "ok"
