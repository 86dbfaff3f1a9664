import { familySync } from 'detect-libc'

/** The packages that one `<os>-<arch>` needs from the registry, under their own names. */
export interface Target {
  name: string
  /** For `bun install --os --cpu`. */
  os: 'linux' | 'darwin'
  cpu: 'x64' | 'arm64'
  /** Package that holds the Bun runtime to compile into. */
  runtimePackage: string
  /** Suffix of `@img/sharp-*` and `@img/sharp-libvips-*`. */
  sharp: string
  /** Suffix of `@node-rs/argon2-*`. */
  argon2: string
  /** File in `sqlite-vec-*`. */
  vectorExtension: string
}

const targets: readonly Target[] = [
  {
    name: 'linux-x64',
    os: 'linux',
    cpu: 'x64',
    runtimePackage: '@oven/bun-linux-x64',
    sharp: 'linux-x64',
    argon2: 'linux-x64-gnu',
    vectorExtension: 'vec0.so',
  },
  {
    name: 'linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    runtimePackage: '@oven/bun-linux-aarch64',
    sharp: 'linux-arm64',
    argon2: 'linux-arm64-gnu',
    vectorExtension: 'vec0.so',
  },
  {
    name: 'darwin-arm64',
    os: 'darwin',
    cpu: 'arm64',
    runtimePackage: '@oven/bun-darwin-aarch64',
    sharp: 'darwin-arm64',
    argon2: 'darwin-arm64',
    vectorExtension: 'vec0.dylib',
  },
]

const muslReason = 'onnxruntime-node ships its Linux builds for glibc only, so the model cannot run on musl'
const unsupported: Readonly<Record<string, string>> = {
  'linux-x64-musl': muslReason,
  'linux-arm64-musl': muslReason,
  'darwin-x64': 'onnxruntime-node ships its macOS build for arm64 only',
}

/** A target that cannot be built; the message says why. */
export class TargetError extends Error {}

/** Finds a target by its name. @throws TargetError for an unknown target, or one that lacks a native package. */
export function findTarget(name: string): Target {
  const target = targets.find((candidate) => candidate.name === name)
  if (target !== undefined) return target
  const reason = unsupported[name]
  const names = targets.map((candidate) => candidate.name).join(', ')
  throw new TargetError(
    reason === undefined
      ? `Unknown target ${name}: choose one of ${names}`
      : `Cannot build for ${name}: ${reason}. Choose one of ${names}`,
  )
}

/** Names the machine that builds, such as `linux-x64`. */
export function nameThisMachine(): string {
  const suffix = process.platform === 'linux' && familySync() === 'musl' ? '-musl' : ''
  return `${process.platform}-${process.arch}${suffix}`
}
