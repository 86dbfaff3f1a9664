/** Runs before every test file (see `bunfig.toml`), because some load onnxruntime, which would send telemetry. */
import { silenceNativeLibraries } from '../../src/platform/native/silence.ts'

silenceNativeLibraries()
