import type { Statement } from 'better-sqlite3'

/** Sets a statement up: whether it gives one column, arrays, tables apart, or integers as `bigint`. */
type SetUp = (statement: Statement) => void

/**
 * A statement that SQLite compiles when it is first used. The program prepares more than a thousand when it starts, and one that
 * is not used costs neither time nor memory: all of them together took some 6 MB.
 *
 * @param compile what it throws about wrong SQL is thrown by the first use.
 */
export const lateStatement = (compile: () => Statement): Statement =>
  new LateStatement(compile) as unknown as Statement

class LateStatement {
  readonly #compile: () => Statement
  readonly #setUps: SetUp[] = []
  #compiled: Statement | undefined

  constructor(compile: () => Statement) {
    this.#compile = compile
  }

  get #statement(): Statement {
    if (this.#compiled) return this.#compiled
    const compiled = this.#compile()
    for (const setUp of this.#setUps) setUp(compiled)
    this.#compiled = compiled
    return compiled
  }

  #setUp(setUp: SetUp): this {
    if (this.#compiled) setUp(this.#compiled)
    else this.#setUps.push(setUp)
    return this
  }

  run(...values: unknown[]) {
    return this.#statement.run(...values)
  }
  get(...values: unknown[]) {
    return this.#statement.get(...values)
  }
  all(...values: unknown[]) {
    return this.#statement.all(...values)
  }
  iterate(...values: unknown[]) {
    return this.#statement.iterate(...values)
  }
  columns() {
    return this.#statement.columns()
  }

  pluck(): this {
    return this.#setUp((statement) => void statement.pluck())
  }
  raw(): this {
    return this.#setUp((statement) => void statement.raw())
  }
  expand(): this {
    return this.#setUp((statement) => void statement.expand())
  }
  safeIntegers(): this {
    return this.#setUp((statement) => void statement.safeIntegers())
  }

  get source(): string {
    return this.#statement.source
  }
  get reader(): boolean {
    return this.#statement.reader
  }
}
