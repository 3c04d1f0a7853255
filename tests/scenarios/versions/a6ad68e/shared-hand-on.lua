
if redis.call('LLEN', KEYS[1]) == 0 then redis.call('LPUSH', KEYS[1], '1') end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
