import { describe, expect, spyOn, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia, t } from 'elysia'
import { ERRORS } from '../../src/core/errors.ts'
import { documentedFailures, ErrorBody, failures, listCodes } from '../../src/http/failures.ts'

describe('the failures of a route', () => {
  test('have the status of the register, and the codes of one status stand together', () => {
    const declared = failures('conflict', 'not_found', 'would_lock_out')
    expect(Object.keys(declared)).toEqual(['404', '409'])
    expect(declared[404].description).toBe(`- \`not_found\`: ${ERRORS.not_found.meaning}`)
    expect(declared[409].description).toBe(
      `- \`conflict\`: ${ERRORS.conflict.meaning}\n- \`would_lock_out\`: ${ERRORS.would_lock_out.meaning}`,
    )
    expect(declared[409].properties).toEqual(ErrorBody.properties)
    expect(listCodes(declared[409])).toEqual(['conflict', 'would_lock_out'])
  })

  test('may be described in words of the route', () => {
    const { 409: conflict } = failures(['conflict', 'The list is full.'])
    expect(conflict.description).toBe('- `conflict`: The list is full.')
  })

  test('name each code once, with the words of the route wherever they come', () => {
    for (const items of [
      [['conflict', 'Full.'], 'conflict'],
      ['conflict', ['conflict', 'Full.']],
    ] as const) {
      expect(failures(...items)[409].description).toBe('- `conflict`: Full.')
    }
  })

  test('are typed by the register: neither a misspelt code nor another status compiles', () => {
    // @ts-expect-error: no such code.
    expect(() => failures('conflct')).toThrow()
    // @ts-expect-error: no such code.
    expect(() => failures(['conflct', 'The list is full.'])).toThrow()
    const declared = failures('conflict')
    // @ts-expect-error: `conflict` is 409.
    expect(declared[404]).toBeUndefined()
  })

  test('of a route whose answers are documented by hand keep their codes', () => {
    expect(documentedFailures(failures('not_found'))).toEqual({
      404: { description: `- \`not_found\`: ${ERRORS.not_found.meaning}` },
    })
  })

  test('cost the first request of a route no compiled check, unlike a success', async () => {
    const http = new Elysia().get('/things', () => ({ name: 'thing' }), {
      response: { 200: t.Object({ name: t.String() }), ...failures('not_found', 'conflict', 'overloaded') },
    })
    const compile = spyOn(TypeCompiler, 'Compile')
    try {
      const answer = await http.handle(new Request('http://lookalike.test/things'))
      expect(await answer.json()).toEqual({ name: 'thing' })
      expect(compile).toHaveBeenCalledTimes(1)
    } finally {
      compile.mockRestore()
    }
  })

  test('that a handler gives back with a status keep their body', async () => {
    const body = { error: 'conflict', message: 'No.', details: {} }
    const http = new Elysia().get('/things', ({ status }) => status(409, body), {
      response: { 200: t.Object({ name: t.String() }), ...failures('conflict') },
    })
    const answer = await http.handle(new Request('http://lookalike.test/things'))
    expect([answer.status, await answer.json()]).toEqual([409, body])
  })

  test('a schema of a success stands for no code', () => {
    expect(listCodes(ErrorBody)).toBeUndefined()
  })
})
