import { dlopen } from 'bun:ffi'

const PR_SET_NO_NEW_PRIVS = 38
/** With the version of its interface: other C libraries are not bundled with anything we run on. */
const LIBC = 'libc.so.6'

/**
 * Takes from this thread, and from every process it starts from now on, the way to more rights through programs such
 * as `sudo`. Only what is started later inherits it with all of its threads: so the service says it, not the decoder.
 *
 * @returns whether it could be done; elsewhere than on Linux with glibc it cannot.
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
