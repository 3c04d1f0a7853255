// SPDX-License-Identifier: MIT
//
// The functions of the C library that no simulated process has: a run in which one is called ends
// there, by name and with a backtrace, and an object that imports one is named beforehand.
//
// Rows of F(result, name, parameters, arguments, exceptions), each as its header declares it. Those
// that read a variable number of arguments stand in interposers_refused.cc. Private to sim/posix.
#pragma once

// Wherever they are called.
#define INTERLOCK_REFUSED_CALLS(F)                                                                 \
  /* Other processes. */                                                                           \
  F(pid_t, fork, (), (), noexcept)                                                                 \
  F(pid_t, _Fork, (), (), noexcept)                                                                \
  F(int, daemon, (int a, int b), (a, b), noexcept)                                                 \
  F(int, execve, (const char* a, char* const b[], char* const c[]), (a, b, c), noexcept)           \
  F(int, execv, (const char* a, char* const b[]), (a, b), noexcept)                                \
  F(int, execvp, (const char* a, char* const b[]), (a, b), noexcept)                               \
  F(int, execvpe, (const char* a, char* const b[], char* const c[]), (a, b, c), noexcept)          \
  F(int, fexecve, (int a, char* const b[], char* const c[]), (a, b, c), noexcept)                  \
  F(int, posix_spawn,                                                                              \
    (pid_t * a, const char* b, const posix_spawn_file_actions_t* c, const posix_spawnattr_t* d,    \
     char* const e[], char* const f[]),                                                            \
    (a, b, c, d, e, f), )                                                                          \
  F(int, posix_spawnp,                                                                             \
    (pid_t * a, const char* b, const posix_spawn_file_actions_t* c, const posix_spawnattr_t* d,    \
     char* const e[], char* const f[]),                                                            \
    (a, b, c, d, e, f), )                                                                          \
  F(int, system, (const char* a), (a), )                                                           \
  F(FILE*, popen, (const char* a, const char* b), (a, b), )                                        \
  F(pid_t, wait, (int* a), (a), )                                                                  \
  F(pid_t, waitpid, (pid_t a, int* b, int c), (a, b, c), )                                         \
  F(int, waitid, (idtype_t a, id_t b, siginfo_t * c, int d), (a, b, c, d), )                       \
  F(pid_t, wait3, (int* a, int b, rusage* c), (a, b, c), noexcept)                                 \
  F(pid_t, wait4, (pid_t a, int* b, int c, rusage* d), (a, b, c, d), noexcept)                     \
  /* Signals that would be sent to real processes, or waited for, and timers that send them. */    \
  F(int, kill, (pid_t a, int b), (a, b), noexcept)                                                 \
  F(int, killpg, (pid_t a, int b), (a, b), noexcept)                                               \
  F(int, tgkill, (pid_t a, pid_t b, int c), (a, b, c), )                                           \
  F(int, sigqueue, (pid_t a, int b, const sigval c), (a, b, c), noexcept)                          \
  F(int, pthread_kill, (pthread_t a, int b), (a, b), noexcept)                                     \
  F(int, pthread_sigqueue, (pthread_t a, int b, const sigval c), (a, b, c), noexcept)              \
  F(int, sigwait, (const sigset_t* __restrict a, int* __restrict b), (a, b), )                     \
  F(int, sigwaitinfo, (const sigset_t* __restrict a, siginfo_t* __restrict b), (a, b), )           \
  F(int, sigtimedwait,                                                                             \
    (const sigset_t* __restrict a, siginfo_t* __restrict b, const timespec* __restrict c),         \
    (a, b, c), )                                                                                   \
  F(int, sigsuspend, (const sigset_t* a), (a), )                                                   \
  F(int, pause, (), (), )                                                                          \
  F(unsigned int, alarm, (unsigned int a), (a), noexcept)                                          \
  F(int, setitimer, (int a, const itimerval* __restrict b, itimerval* __restrict c), (a, b, c),    \
    noexcept)                                                                                      \
  F(int, timer_create, (clockid_t a, sigevent* __restrict b, timer_t* __restrict c), (a, b, c),    \
    noexcept)                                                                                      \
  F(int, signalfd, (int a, const sigset_t* b, int c), (a, b, c), noexcept)                         \
  /* Threads: by ways that pass those by which they are served. */                                 \
  F(int, pthread_cancel, (pthread_t a), (a), )                                                     \
  F(int, pthread_getname_np, (pthread_t a, char* b, size_t c), (a, b, c), noexcept)                \
  F(int, pthread_setaffinity_np, (pthread_t a, size_t b, const cpu_set_t* c), (a, b, c), noexcept) \
  F(int, pthread_getaffinity_np, (pthread_t a, size_t b, cpu_set_t * c), (a, b, c), noexcept)      \
  F(int, pthread_getschedparam, (pthread_t a, int* __restrict b, sched_param* __restrict c),       \
    (a, b, c), noexcept)                                                                           \
  F(int, pthread_setschedparam, (pthread_t a, int b, const sched_param* c), (a, b, c), noexcept)   \
  F(int, pthread_getcpuclockid, (pthread_t a, clockid_t * b), (a, b), noexcept)                    \
  F(int, thrd_create, (thrd_t * a, thrd_start_t b, void* c), (a, b, c), )                          \
  F(int, thrd_join, (thrd_t a, int* b), (a, b), )                                                  \
  F(int, thrd_detach, (thrd_t a), (a), )                                                           \
  F(int, thrd_sleep, (const timespec* a, timespec* b), (a, b), )                                   \
  F(int, mtx_lock, (mtx_t * a), (a), )                                                             \
  F(int, mtx_trylock, (mtx_t * a), (a), )                                                          \
  F(int, mtx_timedlock, (mtx_t* __restrict a, const timespec* __restrict b), (a, b), )             \
  F(int, cnd_wait, (cnd_t * a, mtx_t * b), (a, b), )                                               \
  F(int, cnd_timedwait, (cnd_t* __restrict a, mtx_t* __restrict b, const timespec* __restrict c),  \
    (a, b, c), )                                                                                   \
  F(void, call_once, (once_flag * a, void (*b)()), (a, b), )                                       \
  F(int, tss_create, (tss_t * a, tss_dtor_t b), (a, b), )                                          \
  /* What all clients would share: random numbers, the environment, the working directory. */      \
  F(double, drand48, (), (), noexcept)                                                             \
  F(long, lrand48, (), (), noexcept)                                                               \
  F(long, mrand48, (), (), noexcept)                                                               \
  F(int, setenv, (const char* a, const char* b, int c), (a, b, c), noexcept)                       \
  F(int, unsetenv, (const char* a), (a), noexcept)                                                 \
  F(int, putenv, (char* a), (a), noexcept)                                                         \
  F(int, clearenv, (), (), noexcept)                                                               \
  F(int, chdir, (const char* a), (a), noexcept)                                                    \
  F(int, fchdir, (int a), (a), noexcept)                                                           \
  F(mode_t, umask, (mode_t a), (a), noexcept)                                                      \
  /* The machine's clocks, and what it is busy with. */                                            \
  F(int, clock_settime, (clockid_t a, const timespec* b), (a, b), noexcept)                        \
  F(int, settimeofday, (const timeval* a, const struct timezone* b), (a, b), noexcept)             \
  F(int, adjtimex, (timex * a), (a), noexcept)                                                     \
  F(int, ntp_gettimex, (ntptimeval * a), (a), noexcept)                                            \
  F(clock_t, times, (tms * a), (a), noexcept)                                                      \
  F(int, sysinfo, (struct sysinfo * a), (a), noexcept)                                             \
  F(int, getloadavg, (double a[], int b), (a, b), noexcept)                                        \
  F(int, sched_getaffinity, (pid_t a, size_t b, cpu_set_t * c), (a, b, c), noexcept)               \
  F(int, sched_setaffinity, (pid_t a, size_t b, const cpu_set_t* c), (a, b, c), noexcept)          \
  /* Files that are changed. */                                                                    \
  F(int, creat, (const char* a, mode_t b), (a, b), )                                               \
  F(int, creat64, (const char* a, mode_t b), (a, b), )                                             \
  F(FILE*, freopen, (const char* __restrict a, const char* __restrict b, FILE* __restrict c),      \
    (a, b, c), )                                                                                   \
  F(int, mkstemp, (char* a), (a), )                                                                \
  F(int, mkstemp64, (char* a), (a), )                                                              \
  F(int, mkostemp, (char* a, int b), (a, b), )                                                     \
  F(int, mkostemp64, (char* a, int b), (a, b), )                                                   \
  F(char*, mkdtemp, (char* a), (a), noexcept)                                                      \
  F(FILE*, tmpfile, (), (), )                                                                      \
  F(FILE*, tmpfile64, (), (), )                                                                    \
  F(int, unlink, (const char* a), (a), noexcept)                                                   \
  F(int, unlinkat, (int a, const char* b, int c), (a, b, c), noexcept)                             \
  F(int, remove, (const char* a), (a), noexcept)                                                   \
  F(int, rmdir, (const char* a), (a), noexcept)                                                    \
  F(int, rename, (const char* a, const char* b), (a, b), noexcept)                                 \
  F(int, renameat, (int a, const char* b, int c, const char* d), (a, b, c, d), noexcept)           \
  F(int, link, (const char* a, const char* b), (a, b), noexcept)                                   \
  F(int, symlink, (const char* a, const char* b), (a, b), noexcept)                                \
  F(int, mkdir, (const char* a, mode_t b), (a, b), noexcept)                                       \
  F(int, mkdirat, (int a, const char* b, mode_t c), (a, b, c), noexcept)                           \
  F(int, mkfifo, (const char* a, mode_t b), (a, b), noexcept)                                      \
  F(int, truncate, (const char* a, off_t b), (a, b), noexcept)                                     \
  F(int, truncate64, (const char* a, off64_t b), (a, b), noexcept)                                 \
  F(int, chmod, (const char* a, mode_t b), (a, b), noexcept)                                       \
  F(int, utimes, (const char* a, const timeval b[2]), (a, b), noexcept)                            \
  F(int, utimensat, (int a, const char* b, const timespec c[2], int d), (a, b, c, d), noexcept)    \
  F(int, flock, (int a, int b), (a, b), noexcept)                                                  \
  F(int, lockf, (int a, int b, off_t c), (a, b, c), )                                              \
  /* What processes share, and files by other names. */                                            \
  F(int, shm_open, (const char* a, int b, mode_t c), (a, b, c), )                                  \
  F(int, shmget, (key_t a, size_t b, int c), (a, b, c), noexcept)                                  \
  F(int, semget, (key_t a, int b, int c), (a, b, c), noexcept)                                     \
  F(int, msgget, (key_t a, int b), (a, b), noexcept)                                               \
  F(int, memfd_create, (const char* a, unsigned int b), (a, b), noexcept)                          \
  F(int, posix_openpt, (int a), (a), )                                                             \
  F(int, inotify_init, (), (), noexcept)                                                           \
  F(int, inotify_init1, (int a), (a), noexcept)                                                    \
  F(int, aio_read, (aiocb * a), (a), noexcept)                                                     \
  F(int, aio_write, (aiocb * a), (a), noexcept)                                                    \
  /* Names and addresses of the real network. */                                                   \
  F(hostent*, gethostbyname, (const char* a), (a), )                                               \
  F(hostent*, gethostbyname2, (const char* a, int b), (a, b), )                                    \
  F(hostent*, gethostbyaddr, (const void* a, socklen_t b, int c), (a, b, c), )                     \
  F(int, gethostbyname_r,                                                                          \
    (const char* __restrict a, hostent* __restrict b, char* __restrict c, size_t d,                \
     hostent** __restrict e, int* __restrict f),                                                   \
    (a, b, c, d, e, f), )                                                                          \
  F(int, getaddrinfo_a, (int a, gaicb* b[], int c, sigevent* __restrict d), (a, b, c, d), )        \
  F(int, getifaddrs, (ifaddrs * *a), (a), noexcept)                                                \
  F(int, socketpair, (int a, int b, int c, int d[2]), (a, b, c, d), noexcept)

// With a descriptor that stands for something simulated.
#define INTERLOCK_REFUSED_ON_DESCRIPTORS(F)                                                        \
  F(int, bind, (int a, const sockaddr* b, socklen_t c), (a, b, c), noexcept)                       \
  F(int, listen, (int a, int b), (a, b), noexcept)                                                 \
  F(int, accept, (int a, sockaddr* __restrict b, socklen_t* __restrict c), (a, b, c), )            \
  F(int, accept4, (int a, sockaddr* __restrict b, socklen_t* __restrict c, int d), (a, b, c, d), ) \
  F(int, dup2, (int a, int b), (a, b), noexcept)                                                   \
  F(int, dup3, (int a, int b, int c), (a, b, c), noexcept)                                         \
  F(ssize_t, sendfile, (int a, int b, off_t* c, size_t d), (a, b, c, d), noexcept)                 \
  F(ssize_t, splice, (int a, off64_t* b, int c, off64_t* d, size_t e, unsigned int f),             \
    (a, b, c, d, e, f), )                                                                          \
  F(int, sendmmsg, (int a, mmsghdr* b, unsigned int c, int d), (a, b, c, d), )                     \
  F(int, recvmmsg, (int a, mmsghdr* b, unsigned int c, int d, timespec* e), (a, b, c, d, e), )     \
  F(FILE*, fdopen, (int a, const char* b), (a, b), noexcept)                                       \
  F(off64_t, lseek64, (int a, off64_t b, int c), (a, b, c), noexcept)                              \
  F(ssize_t, sendfile64, (int a, int b, off64_t* c, size_t d), (a, b, c, d), noexcept)             \
  F(off_t, lseek, (int a, off_t b, int c), (a, b, c), noexcept)                                    \
  F(int, fstat, (int a, struct stat* b), (a, b), noexcept)
