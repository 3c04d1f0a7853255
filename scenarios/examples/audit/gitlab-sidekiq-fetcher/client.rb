# SPDX-License-Identifier: MIT
#
# Two workers fetch jobs: a job is in its worker's own list until it is done, and only those of dead
# workers are given back.
require "sidekiq"
require "sidekiq-reliable-fetch"

Sidekiq.logger.level = Logger::FATAL
Sidekiq.options[:queues] = ["default"]
Sidekiq::ReliableFetch.setup_reliable_fetch!(Sidekiq)
fetcher = Sidekiq.options[:fetch]

2.times { Sidekiq::Client.push("class" => "Stock", "args" => []) }
idle = 0
while idle < 3
  work = fetcher.retrieve_work
  next idle += 1 unless work
  job = Sidekiq.load_json(work.job)["jid"]
  Sidekiq.redis { |server| server.call("INTERLOCK.ENTER", job) }
  # ... perform ...
  Sidekiq.redis { |server| server.call("INTERLOCK.LEAVE", job) }
  work.acknowledge
end
