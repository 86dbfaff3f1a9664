/**
 * How often the tests repeat themselves before a release. Without these they run their cheap set; what the environment
 * says wins over both.
 */
export const FULL_COUNTS = {
  CRASH_ROUNDS: 1_000,
  CRASH_START_ROUNDS: 200,
  CRASH_QUERIES: 100,
  WAL_ROUNDS: 2_000,
  FSYNC_WRITES: 640,
  MODEL_RUNS: 200,
  MODEL_STEPS: 25_000,
  PICTURE_MUTANTS: 100_000,
  FUZZ_REQUESTS: 100_000,
  HTTP_SLOW_SENDERS: 1_000,
  HTTP_ABORTED_UPLOADS: 2_000,
  STOP_ROUNDS: 100,
  DISK_ROUNDS: 50,
  FAULT_ROUNDS: 200,
  HEALING_ROUNDS: 50,
  DECODER_KILLS: 200,
  TRIM_MUTANTS: 20_000,
  TIMING_TRIES: 5_000,
  ISOLATION_REQUESTS: 50_000,
  ISOLATION_PROGRAM_REQUESTS: 50_000,
  REFRESH_RACES: 100,
  CODE_ROUNDS: 250,
  HIDDEN_TRIES: 1_000,
  RETRY_AFTER_WAITS: 100,
  RATE_ADDRESSES: 1_000_000,
  OVERLOAD_SECONDS: 300,
  SOAK_REQUESTS: 5_000_000,
  GROWTH_PRODUCTS: 1_000_000,
} as const

/** Seeds: another one each day finds other faults, and the failure names what reproduces it. */
export const SEEDS = ['CRASH_SEED', 'PICTURE_SEED', 'FUZZ_SEED', 'MODEL_SEED', 'ISOLATION_SEED'] as const
