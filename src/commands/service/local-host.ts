/** Where to reach a service that listens on every address. */
const LOCAL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The host by which programs on this machine reach a service that listens on the given one. */
export const toLocalHost = (host: string): string => LOCAL[host] ?? host

/** How commands ask the service of this machine: its certificate names the public address, not this one. */
export const OWN_SERVICE = { tls: { rejectUnauthorized: false } } as const

/** Whether an address leads to nothing but the machine that asks. */
export const isLocalAddress = (address: string): boolean =>
  /^(localhost|[\w.-]+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/.test(new URL(address).hostname)
