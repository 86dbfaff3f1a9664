import { describe, expect, test } from 'bun:test'
import { hits } from './service.ts'
import { headlineOf, openWidgetPage, run, said, searchWords } from './shop.ts'

const shop = openWidgetPage()

describe('the texts', () => {
  test.each([
    [{ lang: 'de' }, {}, 'Mit Bild suchen', '12 Produkte gefunden'],
    [{ lang: 'de' }, { 'data-lang': 'pl-PL' }, 'Szukaj według zdjęcia', 'Znaleziono 12 produktów'],
    [{ lang: 'xx-bad-!' }, {}, 'Search by picture', '12 products found'],
    [{}, { 'data-texts': '{"button":"Photo!","found":"{n} hits"}' }, 'Photo!', '12 hits'],
  ])(
    'language %p and attributes %p',
    async (shown, data, button, found) => {
      await shop.visit({ ...shown, data }, {}, async (page) => {
        await page.getByRole('button', { name: button }).click()
        await searchWords(page, 'mug')
        await said(page, found)
      })
    },
    60_000,
  )
})

describe('numbers', () => {
  test.each([
    ['pl', [1, 2, 5], ['Znaleziono 1 produkt', 'Znaleziono 2 produkty', 'Znaleziono 5 produktów']],
    ['pl', [3, 12, 22], ['Znaleziono 3 produkty', 'Znaleziono 12 produktów', 'Znaleziono 22 produkty']],
    ['de', [1, 2], ['1 Produkt gefunden', '2 Produkte gefunden']],
    ['fr', [1, 2], ['1 produit trouvé', '2 produits trouvés']],
  ])(
    'in %s: %p',
    async (lang, counts, expected) => {
      const { result } = await shop.visit({ lang }, {}, async (page) => {
        await page.locator('[part=button]').click()
        const texts: (string | null)[] = []
        for (const count of counts) {
          shop.service.reply = () => ({ body: { results: hits(count) } })
          const heard = page.evaluate(
            `new Promise((done) => document.addEventListener('service:results', done, { once: true }))`,
          )
          await searchWords(page, `mug ${count}`)
          await heard
          texts.push(await headlineOf(page).textContent())
        }
        return texts
      })
      expect(result).toEqual(expected)
    },
    60_000,
  )
})

describe('language and direction of the dialog', () => {
  const speechOf = async (lang: string, dir: string, data: Record<string, string>) => {
    const { result } = await shop.visit({ lang, data }, {}, async (page) => {
      await run(page, `document.documentElement.dir = '${dir}'`)
      await page.locator('[part=button]').click()
      await page.locator('dialog[open]').waitFor()
      return run(
        page,
        `(() => { const dialog = document.querySelector('[data-service-widget]').shadowRoot.querySelector('dialog')
        return [dialog.lang, dialog.dir, getComputedStyle(dialog).direction, dialog.querySelector('h2').textContent] })()`,
      )
    })
    return result
  }
  const arabic = JSON.stringify({ title: 'ابحث بالصورة', found: 'النتائج: {n}', foundTwo: 'نتيجتان' })

  test.each([
    ['ar', 'rtl', {}, ['en', 'ltr', 'ltr', 'Find it by picture']],
    ['he', 'rtl', { 'data-lang': 'de-AT' }, ['de-AT', 'ltr', 'ltr', 'Mit einem Bild finden']],
    ['en', 'ltr', { 'data-lang': 'ar', 'data-texts': arabic }, ['ar', 'rtl', 'rtl', 'ابحث بالصورة']],
    ['fa', 'rtl', { 'data-texts': arabic }, ['fa', 'rtl', 'rtl', 'ابحث بالصورة']],
    ['ar', 'rtl', { 'data-texts': '{"button":"Photo!"}' }, ['en', 'ltr', 'ltr', 'Find it by picture']],
    ['az', 'ltr', { 'data-texts': '{"title":"Axtar"}' }, ['az', 'ltr', 'ltr', 'Axtar']],
  ])(
    'page %p %p, attributes %p',
    async (lang, dir, data, expected) => {
      expect(await speechOf(lang, dir, data)).toEqual(expected)
    },
    60_000,
  )

  test('a translation gives as many plurals as its language has', async () => {
    await shop.visit({ data: { 'data-lang': 'ar', 'data-texts': arabic } }, {}, async (page) => {
      shop.service.reply = () => ({
        body: { results: hits(3).map((hit) => ({ ...hit, similarity_score: 0.9 })) },
      })
      await page.locator('[part=button]').click()
      await searchWords(page, 'mug')
      await said(page, 'النتائج: 3')
    })
  }, 60_000)
})

describe('styles of the page', () => {
  test('that are inherited reach neither the button nor the dialog; custom properties and parts do', async () => {
    const style = `body{letter-spacing:9px;word-spacing:9px;text-transform:uppercase;text-align:center;line-height:3;font-style:italic;
    text-indent:30px;white-space:nowrap;text-shadow:1px 1px red;-webkit-text-fill-color:red;user-select:none;cursor:wait;--service-accent:#123456}
    div{letter-spacing:9px;text-transform:uppercase}
    [data-service-widget]::part(title){letter-spacing:3px}`
    const names = [
      ...[
        'letter-spacing',
        'word-spacing',
        'text-transform',
        'font-style',
        'text-indent',
        'white-space',
        'text-shadow',
      ],
      '-webkit-text-fill-color',
    ]
    const { result } = await shop.visit({}, {}, async (page) => {
      const read = (selector: string) =>
        run<string[]>(
          page,
          `(() => { const style = getComputedStyle(document.querySelector('[data-service-widget]').shadowRoot.querySelector('${selector}'))
          return ${JSON.stringify(names)}.map((name) => style.getPropertyValue(name)).concat(style.userSelect) })()`,
        )
      const all = async () => [
        await read('.open'),
        await read('.privacy p'),
        await read('input[type=text]'),
        await read('.plain'),
      ]
      await page.locator('[part=button]').click()
      await page.locator('dialog[open]').waitFor()
      const before = await all()
      await run(
        page,
        `(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(style)}); document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet] })()`,
      )
      return {
        before,
        after: await all(),
        title: (await read('h2'))[0],
        accent: await run(
          page,
          `getComputedStyle(document.querySelector('[data-service-widget]').shadowRoot.querySelector('.go')).backgroundColor`,
        ),
      }
    })
    expect(result.after).toEqual(result.before)
    expect([result.title, result.accent]).toEqual(['3px', 'rgb(18, 52, 86)'])
  }, 60_000)

  test('that hide the place of the button hide the button', async () => {
    const { result } = await shop.visit(
      { body: '<div id="place"></div>', data: { 'data-target': '#place' } },
      {},
      async (page) => {
        await page.locator('[part=button]').waitFor()
        await run(
          page,
          `(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync('#place{visibility:hidden}'); document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet] })()`,
        )
        const button = await page.locator('[part=button]').isVisible()
        await run(page, 'ServiceWidget.open()')
        await page.locator('dialog[open]').waitFor()
        return [button, await page.locator('[part=field]').isVisible()]
      },
    )
    expect(result).toEqual([false, true])
  }, 60_000)
})
