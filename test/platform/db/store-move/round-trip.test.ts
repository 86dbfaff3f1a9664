import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createMoveDigest } from '../../../../src/platform/db/store-move/digest.ts'
import { MOVED_TABLES, PASSAGES } from '../../../../src/platform/db/store-move/plan.ts'
import { TABLES } from '../../../../src/platform/db/tables.ts'
import {
  catchUp,
  copy,
  createFullNode,
  createNode,
  listTriggers,
  type Node,
  OTHER,
  STORE,
  tablesIn,
} from './nodes.ts'

let source: Node
let target: Node
beforeEach(() => {
  source = createFullNode('here')
  target = createNode('there')
  target.addStore()
})
afterEach(() => {
  source.db.close()
  target.db.close()
})

test('of every table it is decided whether its rows move', () => {
  expect(Object.keys(PASSAGES).sort()).toEqual(Object.keys(TABLES).sort())
})

test('rows of every table that moves arrive as they were', () => {
  const before = source.dump()
  expect(tablesIn(before)).toEqual([...MOVED_TABLES])
  copy(source, target)
  expect(target.dump()).toEqual(before)
  expect(target.sums()).toEqual(source.sums())
  const secret = target.db.prepare('SELECT sealed FROM signing_secrets').pluck().get() as Buffer
  expect(secret.toString()).toBe('there:a signing secret')
})

test('everything may come twice, and in large steps', () => {
  copy(source, target)
  copy(source, target, () => {}, 10_000_000)
  expect(target.dump()).toEqual(source.dump())
  expect(target.db.prepare('SELECT product_count FROM stores').pluck().get()).toBe(5)
})

test('numbers of the target differ, and the order of the products stays', () => {
  target.addStore(OTHER, 'other')
  const add = target.db.prepare(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, created_at, indexed_at, updated_at)
    VALUES (?, ?, ?, 'https://x.test/a', '{}', 1, 1, 1)`)
  for (let n = 0; n < 20; n++) add.run(OTHER, `o${n}`, `v${n}`)
  copy(source, target)
  const order = (node: Node) =>
    node.db.prepare('SELECT product_id FROM products WHERE store_id = ? ORDER BY id').pluck().all(STORE)
  expect(order(target)).toEqual(order(source))
  expect(target.sums()).toEqual(source.sums())
  expect(target.db.prepare('SELECT count(*) FROM products WHERE store_id = ?').pluck().get(OTHER)).toBe(20)
})

test('products that are made during the move keep their order, whichever changes last', () => {
  copy(source, target)
  source.capture.begin(STORE)
  const add = source.db.prepare(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, created_at, indexed_at, updated_at)
    VALUES (?, ?, ?, 'https://x.test/a', '{}', 1, 1, 1)`)
  const names = ['z', 'm', 'a', 'q']
  for (const name of names) add.run(STORE, name, `v-${name}`)
  source.db.prepare("UPDATE products SET name = 'x' WHERE product_id = 'z'").run()
  catchUp(source, target, 1_000)
  const order = target.db.prepare('SELECT product_id FROM products WHERE store_id = ? ORDER BY id').pluck()
  expect(order.all(STORE).slice(-names.length)).toEqual(names)
})

test('a product that was deleted and made anew during the move stands last on both sides', () => {
  copy(source, target)
  source.capture.begin(STORE)
  const list = (node: Node) =>
    node.db.prepare('SELECT product_id FROM products WHERE store_id = ? ORDER BY id').pluck().all(STORE)
  const [first] = list(source) as string[]
  source.db.prepare('DELETE FROM products WHERE product_id = ?').run(first)
  source.db
    .prepare(`
      INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, created_at, indexed_at, updated_at)
      VALUES (?, ?, 'anew', 'https://x.test/a', '{}', 1, 1, 1)`)
    .run(STORE, first)
  catchUp(source, target, 1_000)
  expect(list(source).at(-1)).toBe(first)
  expect(list(target)).toEqual(list(source))
  expect(target.dump()).toEqual(source.dump())
})

test('a digest says nothing before it has read everything', () => {
  const reading = source.digest.prepare(STORE)
  reading.next()
  expect(source.digest.isReady(STORE)).toBe(false)
  expect(() => source.digest.read(STORE)).toThrow('not prepared')
  for (const _ of reading);
  expect(source.digest.isReady(STORE)).toBe(true)
})

test('the list of many products is read in steps, and none is left out', () => {
  const add = source.db.prepare(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, created_at, indexed_at, updated_at)
    VALUES (?, ?, ?, 'https://x.test/a', '{}', 1, 1, 1)`)
  source.db.transaction(() => {
    // In another order than that of their ids.
    for (let n = 0; n < 10_000; n++) add.run(STORE, `p${(n * 7_919) % 10_000}`, `v-${n}`)
  })()
  const first = source.reader.walk(STORE, ['products', null], 1_000)
  expect(first.lines).toEqual([])
  source.reader.forget(STORE)
  copy(source, target)
  const order = (node: Node) =>
    node.db.prepare('SELECT product_id FROM products WHERE store_id = ? ORDER BY id').pluck().all(STORE)
  expect(order(target)).toEqual(order(source))
})

test('what was read again in steps, while rows changed, is not read once more', () => {
  let reads = 0
  const digest = createMoveDigest({
    findEnd: source.reader.findEnd,
    sums(...place) {
      reads++
      return source.reader.sums(...place)
    },
  })
  const add = source.db.prepare(`
    INSERT INTO products (store_id, product_id, vector_id, image_url, metadata, created_at, indexed_at, updated_at)
    VALUES (?, ?, ?, 'https://x.test/a', '{}', 1, 1, 1)`)
  for (let n = 0; n < 1_000; n++) add.run(STORE, `p${n}`, `v-${n}`)
  for (const _ of digest.prepare(STORE));
  digest.read(STORE)

  source.capture.begin(STORE)
  const rename = source.db.prepare("UPDATE products SET name = 'x' || name WHERE product_id LIKE ?")
  const touch = () => {
    const rows = source.capture.take(STORE, 10_000)
    digest.touch(STORE, rows)
    source.capture.forget(STORE, rows.at(-1)?.seq ?? 0)
  }
  rename.run('p%')
  touch()
  const steps = digest.refresh(STORE)
  steps.next()
  // Behind the place of the steps, and before it.
  rename.run('p1')
  rename.run('p999')
  source.db.prepare("DELETE FROM products WHERE product_id LIKE 'p5%'").run()
  touch()
  for (const _ of digest.refresh(STORE));
  for (const _ of steps);
  reads = 0
  expect(digest.read(STORE)).toEqual(source.sums())
  expect(reads).toBe(0)

  rename.run('p7')
  touch()
  expect(digest.read(STORE)).toEqual(source.sums())
  expect(reads).toBe(1)
})

describe('the capture', () => {
  test('of a move that is no more ends with its rows, and no other', () => {
    source.addStore(OTHER, 'other')
    const notes = () => source.capture.count(STORE)
    source.capture.begin(STORE)
    source.capture.begin(OTHER)
    source.db.prepare("UPDATE products SET name = 'x'").run()
    source.db.prepare("UPDATE stores SET name = 'x'").run()
    const before = notes()
    source.capture.endOthers([STORE])
    expect([source.capture.isOn(OTHER), source.capture.count(OTHER)]).toEqual([false, 0])
    expect([source.capture.isOn(STORE), notes()]).toEqual([true, before])
    source.capture.endOthers([])
    expect([source.capture.isOn(STORE), notes()]).toEqual([false, 0])
  })

  test('leaves nothing behind, and without it there is nothing', () => {
    expect(listTriggers(source.db)).toEqual([])
    source.capture.begin(STORE)
    expect(source.capture.isOn(STORE)).toBe(true)
    source.db.prepare("UPDATE products SET name = 'x'").run()
    expect(source.capture.count(STORE)).toBeGreaterThan(0)
    source.capture.end(STORE)
    expect(listTriggers(source.db)).toEqual([])
    expect(source.capture.count(STORE)).toBe(0)
  })

  test('notes a row once, with its last change', () => {
    source.capture.begin(STORE)
    const change = source.db.prepare("UPDATE products SET name = name || 'x' WHERE product_id = ?")
    const [first, second] = source.db.prepare('SELECT product_id FROM products').pluck().all() as string[]
    change.run(first)
    change.run(second)
    const taken = source.capture.take(STORE, 10)
    expect(taken.map(({ key }) => key)).toEqual([[String(first)], [String(second)]])
    for (let n = 0; n < 100; n++) change.run(first)
    expect(source.capture.count(STORE)).toBe(2)
    source.capture.forget(STORE, taken.at(-1)?.seq ?? 0)
    expect(source.capture.take(STORE, 10).map(({ key }) => key)).toEqual([[String(first)]])
  })

  test('knows its store alone', () => {
    source.addStore(OTHER, 'other')
    source.capture.begin(STORE)
    source.db.prepare("UPDATE stores SET name = 'another' WHERE id = ?").run(OTHER)
    source.db
      .prepare('INSERT INTO store_settings (store_id, settings, updated_at) VALUES (?, ?, 1)')
      .run(OTHER, '{}')
    expect(source.capture.count(STORE)).toBe(0)
    source.capture.endOthers([])
    expect(listTriggers(source.db)).toEqual([])
  })
})

/** A small generator whose numbers are the same each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Changes, deletes and makes rows anywhere in the store, as statements of any service might. */
function createVandal(node: Node, seed: number) {
  const random = createRandom(seed)
  const tables = MOVED_TABLES.filter((table) => !['stores', 'audit_events', 'memberships'].includes(table))
  let count = 0
  const columnsOf = (table: string) =>
    node.db
      .prepare<[string], { name: string; type: string; pk: number }>('SELECT * FROM pragma_table_info(?)')
      .all(table)
  return () => {
    const table = tables[random(tables.length)] as string
    const scope = table === 'user_group_members' ? '1' : `store_id = '${STORE}'`
    const names = columnsOf(table)
    const keys = names
      .filter(({ pk }) => pk > 0)
      .map(({ name }) => name)
      .join(', ')
    const rows = node.db.prepare(`SELECT ${keys} FROM ${table} WHERE ${scope}`).all() as Record<
      string,
      unknown
    >[]
    const row = rows[random(Math.max(rows.length, 1))]
    if (!row) return
    const where = Object.keys(row)
      .map((name) => `${name} = @${name}`)
      .join(' AND ')
    const key = Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? BigInt(value) : value]),
    )
    if (random(5) === 0 && table !== 'kept_pictures') {
      node.db.prepare(`DELETE FROM ${table} WHERE ${where}`).run(key)
      return
    }
    const free = names.filter(
      ({ name, type, pk }) =>
        pk === 0 &&
        type === 'INTEGER' &&
        /(_at|count|searches|clicks|events|attempts|amount|uses)$/.test(name),
    )
    const column = free[random(Math.max(free.length, 1))]
    if (!column) return
    node.db
      .prepare(`UPDATE ${table} SET ${column.name} = @value WHERE ${where}`)
      .run({ ...key, value: BigInt(++count) })
  }
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('both sides agree whatever is written meanwhile (%i)', (seed) => {
  source.capture.begin(STORE)
  const wreck = createVandal(source, seed)
  copy(source, target, wreck, 700)
  source.sums()
  for (let round = 0; round < 5; round++) {
    for (let n = 0; n < 40; n++) wreck()
    catchUp(source, target)
  }
  expect(target.dump()).toEqual(source.dump())
  // Kept up from what was touched, and made anew, are the same.
  const kept = source.digest.read(STORE)
  expect(kept).toEqual(source.sums())
  expect(target.sums()).toEqual(kept)
})

test('a batch that comes a second time changes nothing, even after newer ones of the same rows', () => {
  source.capture.begin(STORE)
  copy(source, target)
  source.db.prepare("UPDATE products SET name = 'later'").run()
  const rows = source.capture.take(STORE, 100)
  const lines = source.reader.readCaptured(STORE, rows)
  target.apply(lines)
  target.apply(lines)
  expect(target.dump()).toEqual(source.dump())
})

test('a store moves to and fro, and is the same in the end', () => {
  const before = source.dump()
  let [from, to] = [source, target]
  for (let n = 0; n < 10; n++) {
    from.capture.begin(STORE)
    copy(from, to)
    catchUp(from, to)
    from.capture.end(STORE)
    to.write().settle()
    from.db.prepare('UPDATE stores SET erasing_at = 1, slug = id WHERE id = ?').run(STORE)
    for (const table of [...MOVED_TABLES].reverse()) {
      if (table === 'stores') continue
      const scope = table === 'user_group_members' ? '1' : `store_id = '${STORE}'`
      from.db.prepare(`DELETE FROM ${table} WHERE ${scope}`).run()
    }
    from.db.prepare('DELETE FROM vectors_1').run()
    from.db.prepare('UPDATE stores SET erasing_at = NULL WHERE id = ?').run(STORE)
    ;[from, to] = [to, from]
  }
  expect(from.dump()).toEqual(before)
})

describe('people', () => {
  const email = `${STORE}@people.test`
  const find = (node: Node) =>
    node.db
      .prepare('SELECT id, name, is_super_admin, proven_at, password_hash FROM users WHERE email = ?')
      .get(email) as Record<string, unknown>

  test('a new account arrives with password and second factor, and with no rights over the node', () => {
    source.db.prepare('UPDATE users SET is_super_admin = 1, proven_at = 5').run()
    const { id } = find(source)
    source.db
      .prepare('INSERT INTO two_factor (user_id, sealed_secret, created_at, enabled_at) VALUES (?, ?, 1, 2)')
      .run(id, source.sealHere('JBSWY3DPEHPK3PXP'))
    copy(source, target)
    expect(find(target)).toMatchObject({ id, is_super_admin: 0, proven_at: null })
    const sealed = target.db.prepare('SELECT sealed_secret FROM two_factor').pluck().get() as Buffer
    expect(sealed.toString()).toBe('there:JBSWY3DPEHPK3PXP')
  })

  test('an account that is there keeps what it has, and becomes a member', () => {
    target.db
      .prepare(
        "INSERT INTO users (id, email, name, password_hash, created_at) VALUES ('u', ?, 'Old', 'old hash', 1)",
      )
      .run(email)
    copy(source, target)
    expect(find(target)).toMatchObject({ id: 'u', name: 'Old', password_hash: 'old hash' })
    expect(target.db.prepare('SELECT user_id FROM memberships').pluck().all()).toEqual(['u'])
    expect(target.sums()).toEqual(source.sums())
  })

  test('a password that changes during the move follows, until the store is settled', () => {
    source.capture.begin(STORE)
    copy(source, target)
    const hash = `$argon2id$v=19$m=19456,t=2,p=1$${'b'.repeat(40)}`
    const change = () => {
      source.db.prepare('UPDATE users SET password_hash = ? WHERE email = ?').run(hash, email)
      catchUp(source, target)
    }
    change()
    expect(find(target)['password_hash']).toBe(hash)
    target.write().settle()
    source.db.prepare("UPDATE users SET name = 'Other' WHERE email = ?").run(email)
    catchUp(source, target)
    expect(find(target)['name']).not.toBe('Other')
  })
})
