import { dlopen, FFIType } from 'bun:ffi'

/**
 * Environment for every process that loads onnxruntime. Since 1.29 the library contains Microsoft's telemetry, which
 * resolves host names, stores a device id in the user's home and opens files in the temporary folder.
 */
export const SILENT = { ORT_DISABLE_TELEMETRY: '1' } as const

/**
 * Disables the telemetry of native libraries in this process. Call it before the first of them loads.
 *
 * Assigning to `process.env` is not enough, because native code does not see Bun's copy of the environment.
 *
 * @throws Error when the C library cannot be called, so that no library with telemetry loads.
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
      // For child processes.
      process.env[variable] = value
    }
  } finally {
    libc.close()
  }
}

const cString = (text: string): Uint8Array => Buffer.from(`${text}\0`)
