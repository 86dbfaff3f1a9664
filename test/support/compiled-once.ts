/**
 * Runs before every test file (see `bunfig.toml`). Nearly every test builds a whole program, and each program compiles the
 * same code: the checks of its schemas, the handlers of its routes, the failures that they declare. The results are kept
 * by their input, so that only the first program of a process compiles them. This saves a third of the quick tests' time.
 */
import { mock } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'

keepFunctions()
keepSchemaChecks()
await keepFailures()
skipGentleCollections()

/** Elysia and its mirrors of schemas compile their text by `Function`: the same text gives the same function. */
function keepFunctions(): void {
  const kept = new Map<string, object>()
  const compile = (texts: string[]): object => {
    const key = texts.join('\0')
    const found = kept.get(key) ?? Reflect.construct(Real, texts)
    kept.set(key, found)
    return found
  }
  const Real = globalThis.Function
  globalThis.Function = new Proxy(Real, {
    apply: (_, __, texts) => compile(texts),
    construct: (_, texts) => compile(texts),
  })
}

/** A schema that stands in a module is the same object for every program. */
function keepSchemaChecks(): void {
  const kept = new WeakMap<TSchema, Map<unknown, TypeCheck<TSchema>>>()
  const compile = TypeCompiler.Compile
  const compileOnce = (schema: TSchema, references: TSchema[] = []) => {
    if (references.length > 0) return compile(schema, references)
    // Elysia may close a schema after it was first compiled.
    const isClosed = schema['additionalProperties']
    const checks = kept.get(schema) ?? new Map<unknown, TypeCheck<TSchema>>()
    const found = checks.get(isClosed) ?? compile(schema)
    kept.set(schema, checks.set(isClosed, found))
    // Elysia puts more on each check, so each program gets one of its own.
    return new TypeCheck(schema, references, Reflect.get(found, 'checkFunc'), found.Code())
  }
  TypeCompiler.Compile = compileOnce as typeof compile
}

/** Routes declare their failures anew with every program, each time alike. */
async function keepFailures(): Promise<void> {
  const real = { ...(await import('../../src/http/failures.ts')) }
  const kept = new Map<string, object>()
  mock.module('../../src/http/failures.ts', () => ({
    ...real,
    failures: ((...items) => {
      const key = items.join('|')
      const found = kept.get(key) ?? Object.freeze(real.failures(...items))
      kept.set(key, found)
      return found
    }) as typeof real.failures,
  }))
}

/** Elysia asks for a collection after each program that it compiles, which takes longer with every test before. */
function skipGentleCollections(): void {
  const collect = Bun.gc
  Bun.gc = (isForced) => (isForced ? collect(true) : 0)
}
