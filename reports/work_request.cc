// SPDX-License-Identifier: MIT
#include "reports/work_request.h"

#include <array>

#include "reports/json_words.h"

namespace interlock::reports {
namespace {

constexpr std::array<Task, 6> kTasks = {Task::kBlock, Task::kExploration, Task::kShrink,
                                        Task::kTake,  Task::kExplain,     Task::kRun};

Task TaskFrom(const std::string& word) {
  for (const Task task : kTasks) {
    if (ToString(task) == word) return task;
  }
  RefuseWord("task", word);
}

WorkRequest RequestFrom(const WordsJson& object) {
  WorkRequest request;
  request.task = TaskFrom(object.at("task").get<std::string>());
  request.lock = object.at("lock").get<std::string>();
  request.scenario = object.at("scenario").get<std::string>();
  request.synchrony = ClassFrom(object);
  request.seed = object.at("seed").get<std::uint64_t>();
  request.strategy = object.at("strategy").get<std::string>();
  request.first = object.at("first").get<std::uint64_t>();
  request.count = object.at("count").get<std::uint64_t>();
  request.property = object.at("property").get<std::string>();
  request.candidates = object.at("candidates").get<std::vector<std::uint64_t>>();
  request.budget = object.at("budget").get<std::uint64_t>();
  request.token = object.at("token").get<std::string>();
  request.original = object.at("original").get<std::string>();
  request.program = object.at("program").get<std::string>();
  request.thorough = object.at("thorough").get<bool>();
  request.keep_events = object.at("keep_events").get<bool>();
  return request;
}

SmallCase CaseFrom(const WordsJson& object) {
  SmallCase answer;
  answer.token = object.at("token").get<std::string>();
  answer.original = object.at("original").get<std::string>();
  answer.shrinks = object.at("shrinks").get<std::uint64_t>();
  answer.ms = object.at("ms").get<std::uint64_t>();
  return answer;
}

}  // namespace

std::string_view ToString(Task task) {
  switch (task) {
    case Task::kBlock:
      return "block";
    case Task::kExploration:
      return "exploration";
    case Task::kShrink:
      return "shrink";
    case Task::kTake:
      return "take";
    case Task::kExplain:
      return "explain";
    case Task::kRun:
      return "run";
  }
  return "?";
}

std::string ToLine(const WorkRequest& request) {
  return OnOneLine({{"task", ToString(request.task)},
                    {"lock", request.lock},
                    {"scenario", request.scenario},
                    {"class", ToString(request.synchrony)},
                    {"seed", request.seed},
                    {"strategy", request.strategy},
                    {"first", request.first},
                    {"count", request.count},
                    {"property", request.property},
                    {"candidates", request.candidates},
                    {"budget", request.budget},
                    {"token", request.token},
                    {"original", request.original},
                    {"program", request.program},
                    {"thorough", request.thorough},
                    {"keep_events", request.keep_events}});
}

std::string ToLine(const SmallCase& answer) {
  return OnOneLine({{"token", answer.token},
                    {"original", answer.original},
                    {"shrinks", answer.shrinks},
                    {"ms", answer.ms}});
}

ReadResult<WorkRequest> ReadWorkRequest(std::string_view line) {
  return ReadWith(line, RequestFrom);
}

ReadResult<SmallCase> ReadSmallCase(std::string_view line) { return ReadWith(line, CaseFrom); }

}  // namespace interlock::reports
