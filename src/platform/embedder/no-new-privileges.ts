import { dlopen } from 'bun:ffi'

const PR_SET_NO_NEW_PRIVS = 38
/** glibc by its ABI version; no other C library is supported. */
const LIBC = 'libc.so.6'

/**
 * Keeps this thread, and every process it starts from now on, from gaining privileges through programs such as `sudo`.
 * Only processes that start later inherit this in all of their threads, so the service sets it and not the decoder.
 *
 * @returns whether it succeeded; it requires Linux with glibc.
 */
export function refuseNewPrivileges(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { symbols, close } = dlopen(LIBC, {
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    })
    const result = symbols.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n)
    close()
    return result === 0
  } catch {
    return false
  }
}
