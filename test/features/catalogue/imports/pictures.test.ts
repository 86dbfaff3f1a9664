import { describe, expect, test } from 'bun:test'
import { explainColumns } from '../../../../src/features/catalogue/imports/mapping/advice.ts'
import { importFile } from './mapped.ts'

const urls = (...names: string[]) => names.map((name) => `https://x.example/${name}`)

describe('the picture column is found by its values', () => {
  test.each([
    ['endings', urls('a.jpg', 'b.PNG')],
    ['endings before a question mark', urls('a.jpg?v=17', 'b.webp?width=800')],
    ['lists in one cell', [`"${urls('a.jpg', 'b.jpg').join(', ')}"`, urls('c.avif')[0] as string]],
    ['a file name in the query', urls('image.php?file=a.jpg&w=1', 'image.php?file=b.gif')],
    ['mostly pictures', [...urls('a.jpg', 'b.jpg'), 'n/a']],
  ])('%s', async (_name, values) => {
    const rows = values.map((value, n) => `${n},${value},https://shop.example/p/${n},x`)
    const { plan } = await importFile(['id,Qwert,Seite,note', ...rows].join('\n'))
    expect(plan.mapping.image_url).toEqual(['Qwert'])
    expect(plan.mayWant).toEqual(['Seite', 'note'])
  })

  test('names of pictures in a zip file, and further columns of them', async () => {
    const content = 'id,Front,Rear,Text\n1,red front.jpg,rear/1.jpg,a.b\n2,two,rear/2.jpg,c\n'
    const pictures = ['red front.jpg', 'two', 'rear/1.jpg', 'rear/2.jpg']
    const { plan, products } = await importFile(content, {}, { pictures })
    expect(plan.mapping).toMatchObject({ image_url: ['Front'], additional_image_urls: ['Rear'] })
    expect(products).toMatchObject([
      { image_url: 'red front.jpg', additional_image_urls: ['rear/1.jpg'] },
      { image_url: 'two', additional_image_urls: ['rear/2.jpg'] },
    ])
  })

  test('a picture goes before a thumbnail, and thumbnails are not added', async () => {
    const row = urls('t.jpg', 'logo.png', 'a.jpg', 'b.jpg').join(',')
    const { plan } = await importFile(`id,thumbnail,brand logo,shot,shot two\n1,${row}\n`)
    expect(plan.mapping).toMatchObject({ image_url: ['shot'], additional_image_urls: ['shot two'] })
  })

  test('an empty column with the right name does not keep the pictures away', async () => {
    const { plan, products } = await importFile('id,image,qwert\n1,,https://x.example/a.jpg\n')
    expect(plan.mapping.image_url).toEqual(['image', 'qwert'])
    expect(products).toMatchObject([{ image_url: 'https://x.example/a.jpg' }])
  })

  test('a name wins over a guess: many servers of pictures use addresses without an ending', async () => {
    const { plan } = await importFile('id,image,banner\n1,https://cdn.example/i/7,https://x.example/a.jpg\n')
    expect(plan.mapping.image_url).toEqual(['image'])
    expect(plan.pages).toBeUndefined()
  })

  test('unless its values are pages: then they are the addresses of the products', async () => {
    const { plan, products } = await importFile(
      'id,image,qwert\n1,https://shop.example/red.html,https://x.example/a.jpg\n2,https://shop.example/p/7,\n',
    )
    expect(plan.mapping).toMatchObject({ image_url: ['qwert'], url: ['image'] })
    expect(products[0]).toMatchObject({
      image_url: 'https://x.example/a.jpg',
      metadata: { url: 'https://shop.example/red.html' },
    })
  })

  test('pages and nothing else are told, also for a column that the client names', async () => {
    const content = 'id,link\n1,https://shop.example/products/red\n'
    for (const mapping of [{ image_url: ['link'] }, { image_url: ['LINK'], url: [] }]) {
      const { plan, sample, table } = await importFile(content, mapping)
      expect(explainColumns(plan, table.columns, sample)).toMatchObject([{ code: 'pages_not_pictures' }])
    }
  })

  test.each([
    'https://x.example/image.php?id=3',
    'https://cdn.example/products/7',
    'https://x.example/media/7/',
    'https://x.example/3f2a',
    'data:image/png;base64,AAAA',
  ])('%s may be a picture', async (url) => {
    const { plan } = await importFile(`id,image\n1,"${url.endsWith('/') ? url.slice(0, -1) : url}"\n`)
    expect(plan.pages).toBeUndefined()
  })

  test('the first rows tell, and large ones are not all held', async () => {
    const row = (n: number) => `${n},${'x'.repeat(900_000)},https://x.example/${n}.jpg`
    const { sample, plan } = await importFile(
      `id,text,qwert\n${[1, 2, 3, 4, 5, 6, 7, 8].map(row).join('\n')}`,
    )
    expect(sample.rows).toHaveLength(5)
    expect(plan.mapping.image_url).toEqual(['qwert'])
  })
})
