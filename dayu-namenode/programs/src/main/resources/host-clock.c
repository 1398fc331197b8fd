/* Licensed under the Apache License, Version 2.0; see LICENSE. */
/*
 * Gives a process a time of day of its own: that of the machine plus the seconds that the file HOST_CLOCK has, eight
 * bytes in the machine's order, which may change at any time. Other clocks stay as they are. For LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead;

__attribute__((constructor)) static void map_clock(void) {
  const char *path = getenv("HOST_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    void *mapped = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    ahead = mapped == MAP_FAILED ? NULL : mapped;
    close(file);
  }
}

static time_t ahead_sec(void) {
  return ahead == NULL ? 0 : (time_t) *ahead;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*machine)(clockid_t, struct timespec *);
  if (machine == NULL) {
    machine = dlsym(RTLD_NEXT, "clock_gettime");
  }
  int result = machine(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += ahead_sec();
  }
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  (void) zone;
  clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) {
    *result = now.tv_sec;
  }
  return now.tv_sec;
}
