import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type TestApp, testApp } from '../../../support/app.ts'

const guide = join(import.meta.dir, '../../../../src/guide')
const rules = Bun.YAML.parse(await Bun.file(join(guide, 'alerts.yml')).text()) as {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[]
}
const dashboard = (await Bun.file(join(guide, 'dashboard.json')).json()) as {
  panels: { title: string; targets: { expr: string }[] }[]
}
const alerts = rules.groups.flatMap((group) => group.rules)
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]

const WORDS = /^(sum|max|by|rate|histogram_quantile|predict_linear|time|topk|or|le)$/

/** The names of metrics in an expression, without what stands in braces, brackets and behind `by`. */
const namesIn = (expression: string): string[] => {
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
  return (bare.match(/\b[a-z]\w*/g) ?? []).filter((word) => !WORDS.test(word))
}

/** Labels that an expression asks for or groups by. */
const labelsIn = (expression: string): string[] => [
  ...[...expression.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
  ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */)),
]

describe('the alerts and the dashboard of the guide', () => {
  let app: TestApp
  /** Names of samples, and all labels, of the metrics that are there. */
  let names: ReadonlySet<string>
  let text: string
  beforeAll(async () => {
    app = testApp()
    app.db
      .prepare(
        `INSERT INTO backups (id, state, started_by, path, has_secrets, is_rotated, started_at, made_at)
       VALUES ('b', 'completed', 'schedule', '/b', 1, 1, 0, ?)`,
      )
      .run(app.clock.now())
    const headers = { host: 'localhost' }
    text = await (await app.http.handle(new Request('http://localhost/metrics', { headers }))).text()
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
    names = new Set(
      types.flatMap(([, name = '', type]) =>
        type === 'histogram' ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
      ),
    )
  })
  afterAll(() => app.close())

  test('name only metrics that exist', () => {
    const named = new Set(expressions.flatMap(namesIn))
    expect(named.size).toBeGreaterThan(20)
    expect([...named].filter((name) => !names.has(name))).toEqual(['up'])
  })

  test('name only labels that the guide lists', async () => {
    const listed = (await Bun.file(join(guide, 'watching.md')).text()).matchAll(/`\w+\{([\w,]+)\}`/g)
    const known = new Set([
      'instance',
      'job',
      'le',
      ...[...listed].flatMap(([, list = '']) => list.split(',')),
    ])
    expect(expressions.flatMap(labelsIn).filter((label) => !known.has(label))).toEqual([])
  })

  test('ten alerts have different names, and each says what happened and what it means', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(10)
    for (const { annotations } of alerts) {
      expect(Object.keys(annotations)).toEqual(['summary', 'description'])
    }
  })

  test('the table of the guide lists every metric, and no other', async () => {
    const chapter = await Bun.file(join(guide, 'watching.md')).text()
    const table = chapter.split(/^## /m).find((part) => part.startsWith('What it tells')) ?? ''
    const listed = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)/g)].map(([, name = '']) => name),
    )
    const types = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name)
    expect(listed.toSorted()).toEqual(types.toSorted())
  })

  test('the service serves both files', async () => {
    for (const [name, type] of [
      ['alerts.yml', 'text/plain; charset=utf-8'],
      ['dashboard.json', 'application/json'],
    ] as const) {
      const answer = await app.http.handle(new Request(`http://lookalike.test/docs/guide/${name}`))
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
      expect(await answer.text()).toBe(await Bun.file(join(guide, name)).text())
    }
  })

  const promtool = Bun.which('promtool')
  test.skipIf(promtool === null)('promtool accepts the rules, and what the service tells', async () => {
    const rulesOf = Bun.spawnSync([promtool ?? '', 'check', 'rules', join(guide, 'alerts.yml')])
    expect(rulesOf.stdout.toString()).toContain('SUCCESS: 10 rules found')
    // 3 says that a name is unusual: some of ours were promised before.
    const told = Bun.spawnSync([promtool ?? '', 'check', 'metrics'], { stdin: Buffer.from(text) })
    expect([0, 3]).toContain(told.exitCode)
    expect(told.stderr.toString()).not.toContain('error while linting')
  })
})
