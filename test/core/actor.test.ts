import { describe, expect, test } from 'bun:test'
import {
  deriveKeyRights,
  deriveMemberRights,
  EVERYTHING,
  MACHINE_RIGHTS,
  may,
  PERMISSIONS,
  type Permission,
  ROLES,
  STORE_POWERS,
} from '../../src/core/actor.ts'
import { PERSON } from '../support/permissions.ts'

const NOTHING = { permissions: new Set<Permission>(), powers: new Set<never>() }
const namesOf = ({ permissions, powers }: typeof EVERYTHING) => [...permissions, ...powers].sort()
const all = [...PERMISSIONS, ...STORE_POWERS].sort()

test('the permissions are those of contract 4.8', () => {
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

test('a caller may use the permissions and powers that it holds, and no others', () => {
  for (const need of [...PERMISSIONS, ...STORE_POWERS]) {
    expect(may({ ...PERSON, ...EVERYTHING }, need)).toBe(true)
    expect(may({ ...PERSON, ...NOTHING }, need)).toBe(false)
  }
  expect(may({ ...PERSON, ...deriveKeyRights(['search:read']) }, 'search:read')).toBe(true)
  expect(may({ ...PERSON, ...deriveKeyRights(['search:read']) }, 'search:write')).toBe(false)
})

describe('what a member may do (contract 4.8)', () => {
  const without = (...names: string[]) => all.filter((name) => !names.includes(name))

  test.each([
    ['owner', all],
    ['admin', without('team:invite', 'people:export', 'store:delete')],
    [
      'developer',
      without(
        ...['products:delete', 'security:manage', 'team:invite', 'team:manage'],
        ...['billing:manage', 'people:export', 'store:delete'],
      ),
    ],
    ['viewer', ['products:read', 'search:execute', 'search:read', 'billing:read']],
  ] as const)('a %s in no group', (role, expected) => {
    expect(namesOf(deriveMemberRights(role, []))).toEqual([...expected].sort())
  })

  test('groups bind developers and viewers: they have the union of what their groups grant, no more', () => {
    const groups: Permission[][] = [['products:read'], ['products:delete', 'products:read']]
    expect([...deriveMemberRights('viewer', groups).permissions].sort()).toEqual([
      'products:delete',
      'products:read',
    ])
    expect([...deriveMemberRights('developer', groups).permissions].sort()).toEqual([
      'products:delete',
      'products:read',
    ])
    expect([...deriveMemberRights('viewer', [[]]).permissions]).toEqual([])
  })

  test('groups do not bind owners and admins, and give nobody a power over the store', () => {
    expect(namesOf(deriveMemberRights('owner', [['products:read']]))).toEqual(all)
    expect(namesOf(deriveMemberRights('admin', [[]]))).toEqual(
      without('team:invite', 'people:export', 'store:delete'),
    )
    for (const role of ROLES) {
      const { powers } = deriveMemberRights(role, [[...PERMISSIONS]])
      expect([...powers]).toEqual([...deriveMemberRights(role, []).powers])
    }
  })

  test('a machine grant has everything but what a person must answer for', () => {
    const forPeople = ['team:invite', 'team:manage', 'billing:manage', 'people:export', 'store:delete']
    expect(namesOf(MACHINE_RIGHTS)).toEqual(without(...forPeople))
  })

  test('an API key has its scopes and no power', () => {
    expect(namesOf(deriveKeyRights(['products:read']))).toEqual(['products:read'])
    expect([...deriveKeyRights([...PERMISSIONS]).powers]).toEqual([])
  })
})
