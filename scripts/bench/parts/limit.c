/*
 * The lower bound for the search kernel: an int8 scan in C on one thread that keeps the best k in a heap.
 * limit.ts builds it with `gcc -O3 -march=native`. It prints the medians of the rounds in microseconds: by the clock, and by
 * processor time.
 *
 *   limit <vectors> <dimension> <k> <rounds>
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__AVX512VNNI__)
#include <immintrin.h>
#endif

typedef struct {
  int32_t score;
  uint32_t slot;
} Hit;

/* The query has unsigned bytes, as VNNI requires; a constant offset does not change the amount of work. */
static int32_t dot(const uint8_t *query, const int8_t *vector, int dimension) {
#if defined(__AVX512VNNI__)
  __m512i a = _mm512_setzero_si512(), b = _mm512_setzero_si512();
  int i = 0;
  for (; i + 128 <= dimension; i += 128) {
    a = _mm512_dpbusd_epi32(a, _mm512_loadu_si512(query + i), _mm512_loadu_si512(vector + i));
    b = _mm512_dpbusd_epi32(b, _mm512_loadu_si512(query + i + 64), _mm512_loadu_si512(vector + i + 64));
  }
  int32_t sum = _mm512_reduce_add_epi32(_mm512_add_epi32(a, b));
  for (; i < dimension; i++) sum += query[i] * vector[i];
  return sum;
#else
  int32_t sum = 0;
  for (int i = 0; i < dimension; i++) sum += query[i] * vector[i];
  return sum;
#endif
}

static void sift(Hit *heap, int k, Hit hit) {
  int at = 0;
  for (;;) {
    int child = 2 * at + 1;
    if (child >= k) break;
    if (child + 1 < k && heap[child + 1].score < heap[child].score) child++;
    if (heap[child].score >= hit.score) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = hit;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* In microseconds. */
static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  size_t count = strtoull(argv[1], NULL, 10);
  int dimension = atoi(argv[2]), k = atoi(argv[3]), rounds = atoi(argv[4]);
  int8_t *vectors = aligned_alloc(64, (count * dimension + 63) / 64 * 64);
  uint8_t *query = aligned_alloc(64, (dimension + 63) / 64 * 64);
  Hit *heap = malloc(sizeof(Hit) * k);
  double *times = malloc(sizeof(double) * rounds), *cpu = malloc(sizeof(double) * rounds);
  if (!vectors || !query || !heap || !times || !cpu) return 1;

  uint32_t state = 1;
  for (size_t i = 0; i < count * dimension; i++) {
    state = state * 1664525u + 1013904223u;
    vectors[i] = (int8_t)(state >> 24);
  }
  for (int i = 0; i < dimension; i++) {
    state = state * 1664525u + 1013904223u;
    query[i] = (uint8_t)(state >> 24);
  }

  int64_t checksum = 0;
  for (int round = 0; round < rounds; round++) {
    double before = now(CLOCK_MONOTONIC), cpu_before = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < k; i++) heap[i] = (Hit){INT32_MIN, 0};
    for (size_t slot = 0; slot < count; slot++) {
      int32_t score = dot(query, vectors + slot * dimension, dimension);
      if (score > heap[0].score) sift(heap, k, (Hit){score, (uint32_t)slot});
    }
    times[round] = now(CLOCK_MONOTONIC) - before;
    cpu[round] = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
    checksum += heap[0].score;
  }
  qsort(times, rounds, sizeof(double), ascending);
  qsort(cpu, rounds, sizeof(double), ascending);
  printf("%.1f %.1f %lld\n", times[rounds / 2], cpu[rounds / 2], (long long)checksum);
  return 0;
}
