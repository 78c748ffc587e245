#define _DEFAULT_SOURCE
#include "CTesseraMemory.h"
#include <string.h>

// The convention for calls lets a function overwrite all of these registers, so nothing is declared as overwritten. None of
// the functions may become a part of its caller, whose registers the compiler knows.
#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>
#include <stdint.h>

enum { UNKNOWN, SSE, AVX, AVX512 };

/// What this processor has, and the kernel saves (Intel SDM, volume 1, 13.2 and 14.3).
static int vectors(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return SSE;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x06) != 0x06) return SSE;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512F) && (low & 0xE6) == 0xE6 ? AVX512 : AVX;
}

__attribute__((noinline)) void tessera_forget_registers(void) {
  static atomic_int known = UNKNOWN;
  int kind = atomic_load_explicit(&known, memory_order_relaxed);
  if (kind == UNKNOWN) {
    kind = vectors();
    atomic_store_explicit(&known, kind, memory_order_relaxed);
  }
  if (kind == AVX512) {
    __asm__ volatile(
      "vpxord %zmm16, %zmm16, %zmm16\n vpxord %zmm17, %zmm17, %zmm17\n vpxord %zmm18, %zmm18, %zmm18\n"
      "vpxord %zmm19, %zmm19, %zmm19\n vpxord %zmm20, %zmm20, %zmm20\n vpxord %zmm21, %zmm21, %zmm21\n"
      "vpxord %zmm22, %zmm22, %zmm22\n vpxord %zmm23, %zmm23, %zmm23\n vpxord %zmm24, %zmm24, %zmm24\n"
      "vpxord %zmm25, %zmm25, %zmm25\n vpxord %zmm26, %zmm26, %zmm26\n vpxord %zmm27, %zmm27, %zmm27\n"
      "vpxord %zmm28, %zmm28, %zmm28\n vpxord %zmm29, %zmm29, %zmm29\n vpxord %zmm30, %zmm30, %zmm30\n"
      "vpxord %zmm31, %zmm31, %zmm31");
  }
  if (kind != SSE) {
    __asm__ volatile("vzeroall");
  } else {
    __asm__ volatile(
      "pxor %xmm0, %xmm0\n pxor %xmm1, %xmm1\n pxor %xmm2, %xmm2\n pxor %xmm3, %xmm3\n pxor %xmm4, %xmm4\n"
      "pxor %xmm5, %xmm5\n pxor %xmm6, %xmm6\n pxor %xmm7, %xmm7\n pxor %xmm8, %xmm8\n pxor %xmm9, %xmm9\n"
      "pxor %xmm10, %xmm10\n pxor %xmm11, %xmm11\n pxor %xmm12, %xmm12\n pxor %xmm13, %xmm13\n"
      "pxor %xmm14, %xmm14\n pxor %xmm15, %xmm15");
  }
}
#elif defined(__aarch64__)
__attribute__((noinline)) void tessera_forget_registers(void) {
  // The lower halves of v8 to v15 belong to the caller (AAPCS64, 6.1.2).
  __asm__ volatile(
    "movi v0.2d, #0\n movi v1.2d, #0\n movi v2.2d, #0\n movi v3.2d, #0\n movi v4.2d, #0\n movi v5.2d, #0\n"
    "movi v6.2d, #0\n movi v7.2d, #0\n mov v8.d[1], xzr\n mov v9.d[1], xzr\n mov v10.d[1], xzr\n mov v11.d[1], xzr\n"
    "mov v12.d[1], xzr\n mov v13.d[1], xzr\n mov v14.d[1], xzr\n mov v15.d[1], xzr\n movi v16.2d, #0\n"
    "movi v17.2d, #0\n movi v18.2d, #0\n movi v19.2d, #0\n movi v20.2d, #0\n movi v21.2d, #0\n movi v22.2d, #0\n"
    "movi v23.2d, #0\n movi v24.2d, #0\n movi v25.2d, #0\n movi v26.2d, #0\n movi v27.2d, #0\n movi v28.2d, #0\n"
    "movi v29.2d, #0\n movi v30.2d, #0\n movi v31.2d, #0");
}
#else
void tessera_forget_registers(void) {}
#endif

void tessera_forget(void *bytes, size_t count) {
  // glibc guarantees that this is not removed, although nothing reads the bytes afterwards.
  explicit_bzero(bytes, count);
  tessera_forget_registers();
}
