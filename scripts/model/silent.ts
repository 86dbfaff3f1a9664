/** Import this file before anything that loads onnxruntime, so that the library sends no telemetry. */
import { silenceNativeLibraries } from '../../src/platform/native/silence.ts'

silenceNativeLibraries()
