# SPDX-License-Identifier: MIT
#
# The commands of the gem redis-single-file in its order, on redis-rb: ruby gem.rb commands URL
# START_NS SECONDS HOLD_US. With `shapes` for `commands`: how many times a second each shape of the
# gem's own benchmark is done: one client, ten threads, ten processes.
require 'redis'

class SingleFileCommands
  MUTEX = 'RedisSingleFile/Mutex/side-by-side'.freeze
  QUEUE = 'RedisSingleFile/Queue/side-by-side'.freeze

  def initialize(url)
    @redis = Redis.new(url: url, timeout: 60)
  end

  def enter
    if @redis.getset(MUTEX, 'side-by-side').nil?
      @redis.del(QUEUE)
      @redis.lpush(QUEUE, '1')
    end
    @redis.blpop(QUEUE, timeout: 0)
    @redis.persist(MUTEX)
    @redis.persist(QUEUE)
  end

  def leave
    @redis.lpush(QUEUE, '1') if @redis.llen(QUEUE) < 1
    @redis.expire(MUTEX, 300)
    @redis.expire(QUEUE, 300)
  end

  def synchronize
    enter
    leave
  end
end

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

def per_second(seconds)
  start = now
  count = 0
  while now - start < seconds * 1e9
    yield
    count += 1
  end
  format('%.1f', count * 1e9 / (now - start))
end

what, url, start, seconds, hold = ARGV
file = SingleFileCommands.new(url)
file.synchronize

if what == 'shapes'
  puts "single #{per_second(seconds.to_f) { file.synchronize }}"
  in_thread = -> { Thread.new { SingleFileCommands.new(url).synchronize } }
  puts "threads #{per_second(seconds.to_f) { Array.new(10) { in_thread.call }.each(&:join) }}"
  in_process = lambda do
    fork do
      SingleFileCommands.new(url).synchronize
      exit!(0)
    end
  end
  puts "processes #{per_second(seconds.to_f) { Array.new(10) { in_process.call }.each { |id| Process.wait(id) } }}"
  exit
end

turns = []
nil while now < start.to_i
finish = start.to_i + (seconds.to_f * 1e9).to_i
while now < finish
  turns << now
  file.enter
  turns << now
  nil while now < turns.last + hold.to_i * 1000
  turns << now
  file.leave
end
puts turns
