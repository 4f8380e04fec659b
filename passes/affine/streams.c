// affine-streams: launches that do not depend on one another go beside one another, on streams of their own
// (--multistream).
//
//   call @k0(%x, %y)   call @k1(%z, %t)   call @k2(%y, %t, %u)
// becomes
//   call @k0(%x, %y) {strata.region = 0, strata.stream = 0}   call @k1(%z, %t) {strata.region = 0, strata.stream = 1}
//   call @k2(%y, %t, %u)
//
// A region's side streams, those from 1 on, are forked from the call's where it begins and joined where it ends, so its
// launches may take place in any order that keeps that of each stream. What they touch lives for all of it
// (launch_list.h). streams_plan.h says how regions are chosen: by affine-predict's times, and by how much of the card a
// kernel keeps busy. Calls that share a launch are one. It is the last pass that may ask where accesses go.
#include "dialects/affine/schedule.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "passes/affine/call_order.h"
#include "passes/affine/explain.h"
#include "passes/affine/launch_list.h"
#include "passes/affine/streams_plan.h"
#include "passes/pass.h"
#include "passes/target.h"

#include <math.h>

// Calls that are one launch.
typedef strata_operations_t launch_t;

typedef STRATA_VECTOR(launch_t) launches_t;

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  strata_call_order_t order;
} streamer_t;

//===-- Launches -------------------------------------------------------------------------------------------------===//

static MlirOperation func_of(const streamer_t *s, MlirOperation call) {
  int64_t kernel = strata_call_order_kernel(&s->order, call);
  return kernel < 0 ? (MlirOperation){NULL} : s->order.calls->kernels.data[kernel].func;
}

static bool is_loop(const streamer_t *s, MlirOperation call) {
  MlirOperation func = func_of(s, call);
  return mlirOperationIsNull(func) || strata_op_is_loop(func);
}

static launches_t read_launches(const streamer_t *s, MlirOperation func) {
  strata_arena_t *arena = s->compile->arena;
  strata_operations_t calls = strata_calls_of(arena, func);
  launches_t launches = {0};
  int64_t last = -1;
  for (size_t i = 0; i < calls.count; i++) {
    int64_t launch = strata_attr_i64(calls.data[i], "strata.launch", -1);
    if (launch < 0 || launch != last)
      *strata_vector_push(arena, &launches) = (launch_t){0};
    *strata_vector_push(arena, &launches.data[launches.count - 1]) = calls.data[i];
    last = launch;
  }
  return launches;
}

//===-- Dependences ----------------------------------------------------------------------------------------------===//

// What no nest names, but level 4 uses, is both read and written.
static bool is_hidden(MlirOperation func, intptr_t i) {
  return mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(strata_func_body(func), i)));
}

static bool share_hidden(const streamer_t *s, MlirOperation a, MlirOperation b) {
  MlirOperation a_func = func_of(s, a), b_func = func_of(s, b);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(b); j++)
      if ((is_hidden(a_func, i) || is_hidden(b_func, j)) &&
          mlirValueEqual(strata_calls_buffer(mlirOperationGetOperand(a, i)),
                         strata_calls_buffer(mlirOperationGetOperand(b, j))))
        return true;
  return false;
}

static strata_status_t depend(streamer_t *s, const launch_t *a, const launch_t *b, bool *out) {
  *out = false;
  for (size_t i = 0; i < a->count && !*out; i++)
    for (size_t j = 0; j < b->count && !*out; j++) {
      *out = share_hidden(s, a->data[i], b->data[j]);
      if (!*out)
        STRATA_TRY(strata_call_order_depend(&s->order, a->data[i], b->data[j], out));
    }
  return NULL;
}

//===-- Times ----------------------------------------------------------------------------------------------------===//

// The part of the card that a kernel keeps busy for the time it takes: the more of what it moves and computes goes at
// the card's own rates, and of its processors have a block.
static double share_of(const streamer_t *s, MlirOperation func, double seconds) {
  double bytes = (double)strata_attr_i64(func, "strata.bytes", 0) / (double)s->device->bandwidth,
         operations = (double)strata_attr_i64(func, "strata.flops", 0) / (double)s->device->products,
         blocks = (double)strata_schedule_read(func).blocks / s->device->n_processors;
  double rate = bytes > operations ? bytes : operations, share = seconds > 0 ? rate / seconds : 1;
  share = blocks > share ? blocks : share;
  return share < 1 ? share : 1;
}

// What is not predicted gains nothing, nor does the time between two kernels.
static strata_stream_launch_t judge(const streamer_t *s, const launch_t *launch) {
  strata_stream_launch_t result = {0};
  bool by_model = s->compile->options->multistream == STRATA_MULTISTREAM_MODEL;
  double busy = 0;
  for (size_t i = 0; i < launch->count; i++) {
    if (is_loop(s, launch->data[i]))
      return (strata_stream_launch_t){.is_alone = true};
    MlirOperation func = func_of(s, launch->data[i]);
    double predicted = 1e-9 * (double)strata_attr_i64(func, "strata.predicted", 0),
           before = s->device->costs->group.launch_seconds;
    double seconds = by_model ? fmax(predicted - before, 0) : fmax(predicted, before);
    result.seconds += seconds;
    busy += seconds * share_of(s, func, seconds);
  }
  result.share = by_model && result.seconds > 0 ? busy / result.seconds : 0;
  return result;
}

static strata_status_t judge_all(streamer_t *s, const launches_t *launches, strata_stream_launch_t *judged) {
  for (size_t i = 0; i < launches->count; i++) {
    judged[i] = judge(s, &launches->data[i]);
    for (size_t j = 0; j < STRATA_STREAMS_MAX_REGION && j < i; j++) {
      bool does = judged[i].is_alone || judged[i - j - 1].is_alone;
      if (!does)
        STRATA_TRY(depend(s, &launches->data[i - j - 1], &launches->data[i], &does));
      judged[i].before |= (uint64_t)does << j;
    }
  }
  return NULL;
}

//===-- Telling --------------------------------------------------------------------------------------------------===//

static const char *names_of(const streamer_t *s, const launch_t *launch) {
  const char *names = "";
  for (size_t i = 0; i < launch->count; i++) {
    MlirStringRef name = strata_attr_str(func_of(s, launch->data[i]), "sym_name");
    names = strata_arena_printf(s->compile->arena, "%s%s%.*s", names, i ? "+" : "", (int)name.length, name.data);
  }
  return names;
}

// "streams: k0, k3 | k1 | k2", a region's launches stream by stream.
static void explain_region(const streamer_t *s, const launches_t *launches, const strata_stream_plan_t *plan,
                           int64_t region) {
  const char *text = "";
  int n_streams = 0;
  for (size_t i = 0; i < launches->count; i++)
    if (plan->places[i].region == region && plan->places[i].stream >= n_streams)
      n_streams = plan->places[i].stream + 1;
  for (int stream = 0; stream < n_streams; stream++) {
    const char *between = stream ? " | " : "";
    for (size_t i = 0; i < launches->count; i++)
      if (plan->places[i].region == region && plan->places[i].stream == stream) {
        text = strata_arena_printf(s->compile->arena, "%s%s%s", text, between, names_of(s, &launches->data[i]));
        between = ", ";
      }
  }
  strata_explain(s->compile, "streams: %s", text);
}

static void explain(const streamer_t *s, const launches_t *launches, const strata_stream_launch_t *judged,
                    const strata_stream_limits_t *limits, const strata_stream_plan_t *plan) {
  if (!s->compile->explain)
    return;
  for (int64_t i = 0; i < plan->n_regions; i++)
    explain_region(s, launches, plan, i);
  bool by_model = s->compile->options->multistream == STRATA_MULTISTREAM_MODEL;
  if (plan->n_regions && by_model)
    strata_explain(s->compile, "streams: %.1f us instead of %.1f on one", 1e6 * plan->seconds, 1e6 * plan->before);
  if (plan->n_regions)
    return;
  strata_stream_limits_t free_events = *limits;
  free_events.fork_seconds = free_events.side_seconds = 0;
  free_events.margin = 1;
  strata_stream_plan_t other = strata_plan_streams(s->compile->arena, judged, (int64_t)launches->count, &free_events);
  if (other.n_regions)
    strata_explain(s->compile, "streams: one: several would save %.1f us, too little for what their events take",
                   1e6 * (other.before - other.seconds));
  else
    strata_explain(s->compile, "streams: one: no launches gain by going beside one another");
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static strata_stream_limits_t limits_of(const streamer_t *s) {
  const strata_compile_options_t *options = s->compile->options;
  bool by_model = options->multistream == STRATA_MULTISTREAM_MODEL;
  return (strata_stream_limits_t){
      .n_side = options->multistream_extra,
      .most = options->multistream_most,
      .launch_seconds = by_model ? s->device->costs->group.launch_seconds : 0,
      .margin = by_model ? s->device->costs->margins.streams : 1,
      .fork_seconds = by_model ? s->device->costs->launches.fork_seconds : 0,
      .side_seconds = by_model ? s->device->costs->launches.side_seconds : 0,
  };
}

static void mark(const streamer_t *s, const launch_t *launch, strata_stream_place_t place) {
  for (size_t i = 0; i < launch->count && place.region >= 0; i++) {
    strata_set_attr(launch->data[i], STRATA_REGION, strata_i64_attr(s->compile->context, place.region));
    strata_set_attr(launch->data[i], STRATA_STREAM, strata_i64_attr(s->compile->context, place.stream));
  }
}

static strata_status_t place_all(streamer_t *s, MlirOperation func) {
  launches_t launches = read_launches(s, func);
  strata_stream_launch_t *judged = strata_arena_array(s->compile->arena, strata_stream_launch_t, launches.count + 1);
  STRATA_TRY(judge_all(s, &launches, judged));
  strata_stream_limits_t limits = limits_of(s);
  strata_stream_plan_t plan = strata_plan_streams(s->compile->arena, judged, (int64_t)launches.count, &limits);
  for (size_t i = 0; i < launches.count; i++)
    mark(s, &launches.data[i], plan.places[i]);
  explain(s, &launches, judged, &limits, &plan);
  return NULL;
}

strata_status_t strata_pass_affine_streams(strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  strata_calls_t calls;
  if (!strata_target_is_gpu(compile) || options->multistream == STRATA_MULTISTREAM_OFF || !options->multistream_extra)
    return NULL;
  STRATA_TRY(strata_calls_read(compile, &calls));
  streamer_t s = {.compile = compile, .order = strata_call_order_create(compile, &calls)};
  STRATA_TRY(strata_gpu_device(compile, &s.device));
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    STRATA_TRY(place_all(&s, functions.data[i]));
  return NULL;
}
