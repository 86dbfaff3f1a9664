import { readFileSync } from 'node:fs'

/** Multiplies bytes and adds up in 32 bits, so that nothing overflows; the kernel's names for both kinds. */
const VNNI = /^flags\s*:.*\bavx(512)?_vnni\b/m

/**
 * Whether the fast multiplication of 8-bit weights may give wrong sums on this machine: on x86-64 without VNNI (AMD before Zen 4, Intel
 * before Ice Lake), and wherever the kernel does not tell.
 *
 * @param information the text of `/proc/cpuinfo`.
 */
export function overflowsFast(information = readInformation(), architecture: string = process.arch): boolean {
  return architecture === 'x64' && !VNNI.test(information)
}

function readInformation(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8')
  } catch {
    return ''
  }
}
