import { PROGRAM, UNPACK_DIR } from '../../robustness/service.ts'

/** The program under test: the executable that `LOOKALIKE_EXECUTABLE` names, or else the sources, which start more slowly. */
export { PROGRAM }

/** What every command needs; the executable unpacks its parts once for all tests. */
export const ENV = { PATH: process.env['PATH'] ?? '', LOOKALIKE_UNPACK_DIR: UNPACK_DIR }
