import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { recordBar } from './bars.ts'
import { createClient } from './client.ts'
import { readRepetitions } from './random.ts'
import { type Install, newInstall, productForm, type Service, smallPicture, startService } from './service.ts'

const RUNS = readRepetitions('MODEL_RUNS', 8)
const STEPS = readRepetitions('MODEL_STEPS', 120)
const SEED = readRepetitions('MODEL_SEED', 3)
const IDS = 12
const PICTURES = 8
const CATEGORIES = ['mugs', 'shoes', 'hats']

/** What the store should hold: metadata and the number of the picture, by id. */
type Model = Map<string, { picture: number; metadata: Record<string, unknown> }>

/** The program that is compared, which a restart replaces. */
interface Real {
  service: Service
}

let install: Install
const real: Partial<Real> = {}
let steps = 0
let restarts = 0

beforeAll(async () => {
  install = await newInstall()
  real.service = await startService(install)
}, 60_000)
afterAll(async () => {
  await real.service?.crash()
  install.remove()
})

const call = (service: Service, method: string, path: string, body?: FormData | object) =>
  createClient(service.address, install.token)(method, path, body)

const metadataOf = (n: number) => ({ category: CATEGORIES[n % CATEGORIES.length], price: n, version: n })

abstract class Step implements fc.AsyncCommand<Model, Real> {
  readonly id: string
  readonly n: number
  constructor(id: string, n: number) {
    this.id = id
    this.n = n
  }
  check(_: Readonly<Model>): boolean {
    return true
  }
  abstract do(model: Model, service: Service): Promise<void>
  async run(model: Model, { service }: Real): Promise<void> {
    steps++
    await this.do(model, service)
  }
  toString = () => `${this.constructor.name}(${this.id}, ${this.n})`
}

class Index extends Step {
  async do(model: Model, service: Service) {
    const [picture, metadata] = [this.n % PICTURES, metadataOf(this.n)]
    const { status } = await call(
      service,
      'POST',
      '/v1/products',
      await productForm(this.id, picture, metadata),
    )
    expect(status).toBe(model.has(this.id) ? 200 : 201)
    model.set(this.id, { picture, metadata })
  }
}

class Replace extends Step {
  async do(model: Model, service: Service) {
    const [picture, metadata] = [this.n % PICTURES, metadataOf(this.n)]
    const form = await productForm(this.id, picture, metadata)
    const { status } = await call(service, 'PUT', `/v1/products/${this.id}`, form)
    expect(status).toBe(model.has(this.id) ? 200 : 201)
    model.set(this.id, { picture, metadata })
  }
}

class Patch extends Step {
  async do(model: Model, service: Service) {
    const change = { price: this.n + 0.5, version: null }
    const { status } = await call(service, 'PATCH', `/v1/products/${this.id}`, { metadata: change })
    const known = model.get(this.id)
    expect(status).toBe(known ? 200 : 404)
    if (!known) return
    const { version: _, ...rest } = known.metadata
    model.set(this.id, { ...known, metadata: { ...rest, price: change.price } })
  }
}

class Delete extends Step {
  async do(model: Model, service: Service) {
    const { status } = await call(service, 'DELETE', `/v1/products/${this.id}`)
    expect(status).toBe(model.delete(this.id) ? 200 : 404)
  }
}

class Read extends Step {
  async do(model: Model, service: Service) {
    const { status, body } = await call(service, 'GET', `/v1/products/${this.id}`)
    const known = model.get(this.id)
    expect(status).toBe(known ? 200 : 404)
    if (known) expect(body['metadata']).toEqual(known.metadata)
  }
}

class List extends Step {
  async do(model: Model, service: Service) {
    const { body } = await call(service, 'GET', '/v1/products?limit=100&sort=price_asc')
    const listed = body['products'] as { product_id: string; metadata: { price: number } }[]
    expect(listed.map(({ product_id }) => product_id).sort()).toEqual([...model.keys()].sort())
    const prices = listed.map(({ metadata }) => metadata.price)
    expect(prices).toEqual(prices.toSorted((a, b) => a - b))
    expect(body['total']).toBe(model.size)
  }
}

/** A search by a picture finds every product that passes the filter, those with that very picture first. */
class Search extends Step {
  async do(model: Model, service: Service) {
    const picture = this.n % PICTURES
    const category = [...CATEGORIES, undefined][this.n % (CATEGORIES.length + 1)]
    const form = new FormData()
    form.set('image', await smallPicture(picture))
    for (const [name, value] of [
      ['limit', '100'],
      ['category_boost', '0'],
      ['explain', 'true'],
    ] as const)
      form.set(name, value)
    if (category) form.set('category', category)
    const { status, body } = await call(service, 'POST', '/v1/search', form)
    expect(status).toBe(200)
    const found = body['results'] as { product_id: string; explain: { cosine: number } }[]
    const fitting = [...model].filter(([, { metadata }]) => !category || metadata['category'] === category)
    expect(found.map(({ product_id }) => product_id).sort()).toEqual(fitting.map(([id]) => id).sort())
    const same = fitting.filter(([, product]) => product.picture === picture).map(([id]) => id)
    const first = found.slice(0, same.length)
    expect(first.map(({ product_id }) => product_id).sort()).toEqual(same.sort())
    for (const { explain } of first) expect(explain.cosine).toBeGreaterThan(0.999)
    const cosines = found.map(({ explain }) => explain.cosine)
    expect(cosines).toEqual(cosines.toSorted((a, b) => b - a))
  }
}

/** Ends the program, by turns as an operator does and as a power cut would, and starts it again. */
class Restart extends Step {
  async do() {}
  override async run(_: Model, current: Real) {
    steps++
    restarts++
    if (this.n % 2 === 0) expect(await current.service.stop()).toBe(0)
    else await current.service.crash()
    current.service = await startService(install)
  }
}

const id = fc.nat(IDS - 1).map((n) => `product-${n}`)
const number = fc.nat(10_000)
const some = (Kind: new (id: string, n: number) => Step) =>
  fc.tuple(id, number).map(([chosen, n]) => new Kind(chosen, n))
/** Restarts take longest and are rare: one command stands for many here. */
const often = [Index, Index, Index, Replace, Patch, Patch, Delete, Read, List, Search, Search].flatMap(
  (Kind) => Array.from({ length: 4 }, () => some(Kind)),
)

test(`${RUNS} runs of up to ${STEPS} steps agree with a model in memory`, async () => {
  const commands = fc.commands([...often, some(Restart)], { maxCommands: STEPS, size: 'max' })
  let runs = 0
  const outcome = await fc.check(
    fc.asyncProperty(commands, async (chosen) => {
      runs++
      const { service } = real
      if (!service) throw new Error('the program never started')
      const { body } = await call(service, 'GET', '/v1/products?limit=100')
      for (const { product_id } of body['products'] as { product_id: string }[])
        await call(service, 'DELETE', `/v1/products/${product_id}`)
      const current: Real = { service }
      try {
        await fc.asyncModelRun(() => ({ model: new Map(), real: current }), chosen)
      } finally {
        real.service = current.service
      }
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  )
  const isMet = !outcome.failed
  const measured = isMet ? '0 differences' : `differs: ${outcome.errorInstance}`
  recordBar({ bar: 7, part: 'steps', on: 'program', n: steps, measured, isMet })
  if (restarts > 0) recordBar({ bar: 7, part: 'restarts', on: 'program', n: restarts, measured, isMet })
  if (outcome.failed) throw new Error(`${outcome.errorInstance}\n${fc.defaultReportMessage(outcome)}`)
  expect(runs).toBe(RUNS)
  expect(steps).toBeGreaterThan((RUNS * STEPS) / 10)
  expect(restarts).toBeGreaterThan(0)
}, 7_200_000)
