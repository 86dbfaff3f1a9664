/** The oldest glibc that all libraries of this executable load with. A release reads it from their symbols and refuses another one here. */
export const GLIBC_NEEDED = '2.34'

/**
 * Says in words that the C library of the system is too old.
 *
 * @param message what the loader of the system says of a library that it cannot load.
 * @returns undefined for other failures.
 */
export const explainOldGlibc = (message: string): string | undefined =>
  /version `GLIBC_[\d.]+' not found/.test(message)
    ? `Lookalike needs glibc ${GLIBC_NEEDED} or newer, and the one of this system is older. Debian 12, Ubuntu 22.04, RHEL 9 and newer systems have it`
    : undefined
