import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { SILENT } from '../../../src/platform/native/silence.ts'

const MODULE = fileURLToPath(new URL('../../../src/platform/native/silence.ts', import.meta.url))

/** What native code finds in the environment of a new process, before and after. */
const PROGRAM = `
  import { dlopen, FFIType } from 'bun:ffi'
  import { silenceNativeLibraries } from ${JSON.stringify(MODULE)}
  const { symbols } = dlopen(process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6', {
    getenv: { args: [FFIType.cstring], returns: FFIType.cstring },
  })
  const seen = () => String(symbols.getenv(Buffer.from('ORT_DISABLE_TELEMETRY\\0')))
  const before = seen()
  process.env.ORT_DISABLE_TELEMETRY = '1'
  const assigned = seen()
  silenceNativeLibraries()
  console.log(JSON.stringify([before, assigned, seen()]))
`

test('native code sees the switch, which an assignment to process.env does not show it', async () => {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdout: 'pipe',
  })
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual(['null', 'null', '1'])
  expect(SILENT.ORT_DISABLE_TELEMETRY).toBe('1')
})

test('processes that this one starts inherit it', () => {
  expect(process.env['ORT_DISABLE_TELEMETRY']).toBe('1')
})
