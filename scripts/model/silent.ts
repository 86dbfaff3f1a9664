/** Import this before anything that loads onnxruntime: it keeps the library from sending telemetry. */
import { silenceNativeLibraries } from '../../src/platform/native/silence.ts'

silenceNativeLibraries()
