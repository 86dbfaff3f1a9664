import { expect, test } from 'bun:test'
import { may, PERMISSIONS } from '../../src/core/actor.ts'

const actor = { storeId: 's', userId: null }

test('the permissions are those of spec §2.9', () => {
  expect([...PERMISSIONS].sort()).toEqual([
    'products:bulk',
    'products:delete',
    'products:read',
    'products:write',
    'search:execute',
    'search:read',
    'search:write',
  ])
})

test('a machine grant may do everything (spec §5.6), anyone else what he was given', () => {
  for (const permission of PERMISSIONS) {
    expect(may({ ...actor, permissions: 'all' }, permission)).toBe(true)
    expect(may({ ...actor, permissions: new Set() }, permission)).toBe(false)
    expect(may({ ...actor, permissions: new Set([permission]) }, permission)).toBe(true)
  }
})
