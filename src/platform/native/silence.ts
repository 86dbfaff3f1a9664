import { dlopen, FFIType } from 'bun:ffi'

/**
 * What every process that loads onnxruntime must find in its environment. Since 1.29 the library carries Microsoft's
 * telemetry, which looks up hosts, keeps a device id below the user's home and opens files in the temporary folder.
 */
export const SILENT = { ORT_DISABLE_TELEMETRY: '1' } as const

/**
 * Switches the telemetry of native libraries off in this process; call it before the first of them is loaded.
 *
 * An assignment to `process.env` would not do: Bun keeps it to itself, and native code never sees it.
 *
 * @throws Error when the C library cannot be called, so that nothing is loaded that might talk.
 */
export function silenceNativeLibraries(): void {
  const name = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6'
  const libc = dlopen(name, {
    setenv: { args: [FFIType.cstring, FFIType.cstring, FFIType.i32], returns: FFIType.i32 },
  })
  try {
    for (const [variable, value] of Object.entries(SILENT)) {
      const status = libc.symbols.setenv(cString(variable), cString(value), 1)
      if (status !== 0) throw new Error(`The C library refused to set ${variable}`)
      // For processes that this one starts.
      process.env[variable] = value
    }
  } finally {
    libc.close()
  }
}

const cString = (text: string): Uint8Array => Buffer.from(`${text}\0`)
