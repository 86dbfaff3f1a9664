import { eachAlone } from '../../../core/each-alone.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import { createCounter } from './counter.ts'
import type { CountedProduct } from './counting-queries.ts'
import { createDueTest, type DueDeps } from './due.ts'
import { createLister } from './lister.ts'
import type { Phase, Run, TogetherQueries } from './queries.ts'
import { PHASES } from './queries.ts'

export interface TogetherMakerDeps
  extends Pick<Base, 'clock' | 'log' | 'atomically' | 'withoutFsync' | 'gate'>,
    Pick<DueDeps, 'dayOf'> {
  queries: TogetherQueries
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
  /** Pairs of a store that a count holds; 200,000 by default. */
  pairsMax?: number
}

/** A step ends after this time; the next one takes a turn of its own. */
const STEP_MS = 3
/** Stores take turns of this length. */
const SLICE_MS = 500
const BASKETS_AT_ONCE = 200
const ROWS_AT_ONCE = 300
const PRODUCTS_AT_ONCE = 50
const PAIRS_MAX = 200_000

const NEW_RUN: Omit<Run, 'madeAt' | 'begunAt' | 'number'> = {
  ...{ phase: 'clearing', after: '', orders: 0, visitors: 0, products: 0, pairs: 0, sweeps: 0 },
  ...{ sweepOne: null, sweepOther: null },
}

/**
 * Counts what shoppers take together, store by store in turns. All that a count knows stands in the database, written in the same
 * transaction as its place, so a program that is killed goes on where it was.
 *
 * A run clears what is left of another, counts orders and then visitors, makes the list of each product, drops the lists that were
 * not made again, and clears. Its lists are shown as they come.
 */
export function createTogetherMaker(deps: TogetherMakerDeps) {
  const { queries, clock, log, atomically, withoutFsync, gate, stop, pairsMax = PAIRS_MAX } = deps
  const counter = createCounter({ queries, pairsMax })
  const write = <Result>(work: () => Result): Result => withoutFsync(() => atomically(work))
  let stepBegan = 0
  let running: Promise<void> | undefined

  const isOver = (): boolean => clock.monotonic() - stepBegan >= STEP_MS

  async function breathe(): Promise<void> {
    if (!isOver()) return
    await turn()
    stepBegan = clock.monotonic()
  }

  const makeList = createLister(queries, breathe)
  const isDue = createDueTest(deps)

  function moveOn(run: Run): void {
    const next = PHASES[PHASES.indexOf(run.phase) + 1]
    if (next) Object.assign(run, { phase: next, after: '' })
    else Object.assign(run, { phase: 'clearing', after: '', madeAt: run.begunAt, begunAt: null })
  }

  /** Counts baskets for the time of a step. @returns false after the last one. */
  function countSome(storeId: string, run: Run, countNext: (storeId: string, run: Run) => boolean): boolean {
    for (let n = 0; n < BASKETS_AT_ONCE && (n === 0 || !isOver()); n++) {
      if (run.sweepOne !== null || counter.isFull(run)) counter.sweep(storeId, run, ROWS_AT_ONCE)
      else if (!countNext(storeId, run)) return false
    }
    return true
  }

  /** One step of a phase, in a transaction. @returns false where the phase is over. */
  const steps: Record<Exclude<Phase, 'lists'>, (storeId: string, run: Run) => boolean> = {
    clearing: (storeId) => queries.clear(storeId, ROWS_AT_ONCE),
    orders: (storeId, run) => countSome(storeId, run, counter.countOrder),
    visitors: (storeId, run) => countSome(storeId, run, counter.countVisitor),
    tidying(storeId, run) {
      const upTo = queries.dropLists(storeId, run.after, run.number, ROWS_AT_ONCE)
      run.after = upTo ?? run.after
      return upTo !== undefined
    },
    ending: (storeId) => queries.clear(storeId, ROWS_AT_ONCE),
  }

  /** Makes the lists of the next products. Their partners are read before the transaction, over several turns. */
  async function listSome(storeId: string, run: Run): Promise<void> {
    const after = run.after === '' ? -1 : Number(run.after)
    const lists: { product: CountedProduct; list: Awaited<ReturnType<typeof makeList>> }[] = []
    const began = clock.monotonic()
    for (const product of queries.listProducts(storeId, after, PRODUCTS_AT_ONCE)) {
      lists.push({ product, list: await makeList(storeId, run, product) })
      if (clock.monotonic() - began >= STEP_MS) break
    }
    await breathe()
    write(() => {
      const present = queries.find(storeId)
      // The count was begun anew meanwhile.
      if (present?.number !== run.number || present.begunAt === null) return
      for (const { product, list } of lists) {
        if (!list) continue
        const { productId } = product
        const products = JSON.stringify(list.products.map(({ productId: id, score }) => [id, score]))
        queries.saveList({ storeId, productId, basis: list.basis, products, run: run.number })
      }
      const last = lists.at(-1)
      if (last) run.after = String(last.product.number)
      else moveOn(run)
      queries.save(storeId, run)
    })
  }

  /** One step of a store. @returns whether its run goes on. */
  async function step(storeId: string): Promise<boolean> {
    await turn()
    const leave = gate.tryEnter(storeId)
    // The next run goes on.
    return leave ? stepInside(storeId).finally(leave) : false
  }

  async function stepInside(storeId: string): Promise<boolean> {
    stepBegan = clock.monotonic()
    const run = queries.find(storeId)
    if (!run || run.begunAt === null) return false
    if (run.phase === 'lists') {
      await listSome(storeId, run)
      return true
    }
    const { phase } = run
    write(() => {
      if (!steps[phase](storeId, run)) moveOn(run)
      queries.save(storeId, run)
    })
    return run.begunAt !== null
  }

  /** Begins the run of a store that is due. @returns whether it has one under way. */
  function begin(storeId: string): boolean {
    const run = queries.find(storeId)
    if (!isDue(storeId, run)) return false
    if (run === undefined || run.begunAt === null) {
      const [madeAt, number] = [run?.madeAt ?? null, (run?.number ?? 0) + 1]
      write(() => {
        queries.save(storeId, { madeAt, ...NEW_RUN, number, begunAt: clock.now() })
        queries.setOutdated(storeId, 0)
      })
    }
    return true
  }

  /** Lets each store work for a while. @returns those that have more to do. */
  async function work(storeIds: readonly string[]): Promise<string[]> {
    const left: string[] = []
    await eachAlone(
      storeIds,
      async (storeId) => {
        const began = clock.monotonic()
        let goesOn = true
        while (goesOn && !stop?.aborted && clock.monotonic() - began < SLICE_MS) goesOn = await step(storeId)
        if (goesOn) left.push(storeId)
      },
      (err, storeId) =>
        log.error({ err, store_id: storeId }, 'what shoppers of a store take together could not be counted'),
    )
    return left
  }

  async function makeDue(): Promise<void> {
    const stores: string[] = []
    for (const storeId of queries.listStores()) {
      await turn()
      if (!gate.isPaused(storeId) && begin(storeId)) stores.push(storeId)
    }
    for (let left = stores; left.length > 0 && !stop?.aborted; ) left = await work(left)
  }

  return {
    /** Makes the lists that are due. Call it every few minutes. */
    run(): Promise<void> {
      running ??= makeDue().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
