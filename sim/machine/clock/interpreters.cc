// SPDX-License-Identifier: MIT
#include "sim/machine/clock/interpreters.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/machine/clock/sleeper.h"
#include "sim/machine/clock/template.h"

namespace interlock::sim::machine {
namespace {

pid_t shown_process = 0;  // 0: its own number
pid_t template_process = 0;
pid_t copy_process = 0;  // what `template_process` stands for in a copy of Python and its children

using RunsScript = int (*)(const char*);

/// What a program relies on of Py_FinalizeEx, in its order.
constexpr const char* kEndPython = R"(
def interlock_end():
    import atexit, sys
    main, threading = sys.modules['__main__'], sys.modules.get('threading')
    def attempt(act):
        try:
            act()
            return True
        except BaseException:
            sys.excepthook(*sys.exc_info())
            return False
    if threading is not None:
        attempt(threading._shutdown)
    attempt(atexit._run_exitfuncs)
    flushed = attempt(sys.stdout.flush)
    for name in reversed([name for name in main.__dict__ if name != '__builtins__']):
        attempt(lambda: main.__dict__.pop(name, None))
    attempt(sys.stderr.flush)
    if not (attempt(sys.stdout.flush) and flushed):
        raise SystemError
interlock_end()
)";

constexpr const char* kEndRuby = R"(
  (Thread.list - [Thread.current]).each { |one| one.kill.join }
  [$stdout, $stderr].each(&:flush)
  exit!($!.nil? || $!.status) if $!.nil? || $!.is_a?(SystemExit)
)";

void EndAtOnce(int status, void* /*nothing*/) {
  fflush(nullptr);
  _exit(status);
}

/// In place of Py_FinalizeEx.
int EndPython() {
  const auto run = reinterpret_cast<RunsScript>(dlsym(RTLD_DEFAULT, "PyRun_SimpleString"));
  const int result = run(kEndPython);
  on_exit(EndAtOnce, nullptr);
  return result;
}

/// Makes `function` go to `to`, in this process alone.
void Redirect(void* function, int (*to)()) {
#if defined(__x86_64__)
  unsigned char code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // mov to, rax; jmp rax
  memcpy(&code[2], &to, sizeof to);
#elif defined(__aarch64__)
  unsigned code[] = {0x58000050, 0xd61f0200, 0, 0};  // ldr x16, to; br x16
  memcpy(&code[2], &to, sizeof to);
#else
  return;
#endif
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(function) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(function) + sizeof code;
  auto* first = reinterpret_cast<void*>(begin);
  if (mprotect(first, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  memcpy(function, code, sizeof code);
  mprotect(first, end - begin, PROT_READ | PROT_EXEC);
  __builtin___clear_cache(static_cast<char*>(function), static_cast<char*>(function) + sizeof code);
}

void ShowOwnProcess() { shown_process = 0; }

using RubyValue = unsigned long;

RubyValue EvaluateRuby(const char* script) {
  using Evaluates = RubyValue (*)(const char*);
  return reinterpret_cast<Evaluates>(dlsym(RTLD_DEFAULT, "rb_eval_string"))(script);
}

void EndRuby(RubyValue /*data*/) {
  if (IsCopy()) EvaluateRuby(kEndRuby);
}

/// Puts the child's number into `pid`.
void* ForkRuby(void* pid) {
  const RubyValue number = EvaluateRuby("begin Process.fork; rescue SystemCallError; -1 end");
  *static_cast<pid_t*>(pid) = static_cast<pid_t>(static_cast<long>(number) >> 1);
  return nullptr;
}

}  // namespace

bool ForksItself() { return dlsym(RTLD_DEFAULT, "ruby_thread_has_gvl_p") != nullptr; }

pid_t ForkInterpreter() {
  if (!ForksItself()) return fork();
  void* has_lock = dlsym(RTLD_DEFAULT, "ruby_thread_has_gvl_p");
  const long parent = Ask(SYS_getpid);
  pid_t pid = -1;
  if (reinterpret_cast<int (*)()>(has_lock)() != 0) {
    ForkRuby(&pid);
  } else {
    using Calls = void* (*)(void* (*)(void*), void*);
    reinterpret_cast<Calls>(dlsym(RTLD_DEFAULT, "rb_thread_call_with_gvl"))(ForkRuby, &pid);
  }
  return Ask(SYS_getpid) == parent ? pid : 0;
}

void PrepareInterpreter(pid_t original) {
  void* finalize = dlsym(RTLD_DEFAULT, "Py_FinalizeEx");
  if (finalize == nullptr) return;
  shown_process = original;
  template_process = original;
  copy_process = static_cast<pid_t>(Ask(SYS_getpid));
  pthread_atfork(nullptr, nullptr, ShowOwnProcess);
  Redirect(finalize, EndPython);
}

}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

pid_t getpid() {
  if (drive::shown_process != 0) return drive::shown_process;
  return static_cast<pid_t>(drive::Ask(SYS_getpid));
}

int kill(pid_t process, int signal) {
  const bool copy = drive::copy_process != 0 && process == drive::template_process;
  return static_cast<int>(drive::Ask(SYS_kill, copy ? drive::copy_process : process, signal));
}

/// The ruby program's call of libruby that runs the script. What is registered here for the end
/// comes last.
int ruby_run_node(void* node) {
  using Runs = int (*)(void*);
  using Registers = void (*)(void (*)(drive::RubyValue), drive::RubyValue);
  if (drive::IsTemplate()) {
    constexpr drive::RubyValue kOne = 3;  // the number in Ruby; it has to be some value
    reinterpret_cast<Registers>(dlsym(RTLD_DEFAULT, "rb_set_end_proc"))(drive::EndRuby, kOne);
  }
  return reinterpret_cast<Runs>(dlsym(RTLD_NEXT, "ruby_run_node"))(node);
}

}  // extern "C"
