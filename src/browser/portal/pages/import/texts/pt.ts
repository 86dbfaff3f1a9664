import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('pt')

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `O ficheiro não está em UTF-8. Foi lido como ${encoding}: verifique as letras com acento.`,
  column_unknown: ({ column }) => `O ficheiro não tem a coluna “${column}”.`,
  price_without_tax: ({ column }) =>
    `Os preços da coluna “${column}” não incluem IVA, e a loja talvez os mostre com IVA.`,
  fields_without_column: ({ fields, products }) =>
    `Não foi encontrada coluna para: ${fields}. Vai faltar em ${counted(products, 'produto', 'produtos')}. Escolha a coluna acima.`,
  results_without_links: () =>
    'Nenhuma coluna contém o endereço de um produto e a loja não tem nenhum: os resultados não levarão a lado nenhum. Indique na página “Widget” onde abrem os seus produtos.',
  prices_without_currency: () =>
    'Nenhuma coluna contém a moeda e a loja não tem nenhuma: os preços aparecem sem ela. Escolha-a nas definições da loja.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'produto tem', 'produtos têm')} um preço promocional que não é inferior ao preço: é deixado de fora.`,
  sale_dates_unreadable: ({ products }) =>
    `${counted(products, 'produto tem', 'produtos têm')} uma promoção com datas ilegíveis: é deixada de fora. Escreva as datas assim: 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'produto tem', 'produtos têm')} uma categoria com mais de 10 níveis: ficam os 10 primeiros.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'variante indica', 'variantes indicam')} um produto principal que não está no ficheiro e não ${plural(products, 'recebe', 'recebem')} nada dele. Exporte todos os produtos num só ficheiro.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'variante não recebe', 'variantes não recebem')} nada do produto principal, porque o ficheiro tem demasiados produtos com variantes. Divida-o.`,
  products_hidden: ({ products }) =>
    `${counted(products, 'produto fica', 'produtos ficam')} de fora: rascunhos ou não publicados.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'produto traz', 'produtos trazem')} vetores de outro modelo: em vez deles, são lidas as imagens.`,
  dry_run_stopped: ({ line, products }) =>
    `Após ${counted(products, 'produto errado', 'produtos errados')}, a verificação parou na linha ${line}: as contagens vão até aí.`,
  file_not_kept: () =>
    'De momento, o serviço não tem espaço para guardar o ficheiro: será enviado de novo para a importação.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'Uma coluna escolhida não está neste ficheiro. Escolha outra.',
  pages_not_pictures:
    'A coluna da imagem contém endereços de páginas. Escolha a que tem os endereços das imagens (.jpg, .png, .webp).',
}

export const texts: Texts = {
  heading: 'Importar um ficheiro',
  isRight: 'Está tudo certo?',
  noRights:
    'A sua função permite ver produtos, mas não importá-los. Um proprietário ou administrador pode alterá-lo.',
  choose: 'Escolher um ficheiro',
  chooseOther: 'Escolher outro ficheiro',
  drop: 'ou solte-o aqui',
  kinds: 'CSV, TSV, NDJSON, XML ou um ficheiro zip com uma tabela e as suas imagens. No máximo 100 MB.',
  fromShops:
    'As exportações de WooCommerce, Shopify, PrestaShop, Magento, OpenCart e Google Merchant são entendidas tal como estão, em qualquer língua. Nada é gravado antes de ver o resultado.',
  fromAddress: 'O ficheiro está num endereço? Ler a partir daí.',
  sending: 'O ficheiro está a ser enviado',
  reading: 'O ficheiro está a ser lido e as primeiras imagens estão a ser obtidas',
  cancel: 'Cancelar',
  troubles: {
    empty: 'Este ficheiro está vazio.',
    too_large: 'Este ficheiro tem mais de 100 MB.',
    spreadsheet: 'Isto é uma folha de cálculo, não uma tabela de texto.',
    expired: 'O serviço guarda um ficheiro durante 30 minutos, que já passaram.',
    unreadable: 'Não é possível ler este ficheiro.',
  },
  cures: {
    empty: 'Exporte-o de novo da sua loja e escolha-o aqui.',
    too_large: 'Divida-o em vários ficheiros ou comprima-o em zip ou gzip.',
    spreadsheet: 'Abra-a na folha de cálculo, guarde-a como CSV (UTF-8) e escolha esse ficheiro.',
    expired: 'Envie-o de novo: tudo o que escolheu aqui se mantém.',
  },
  sendAgain: (name) => `Enviar “${name}” de novo`,
  first: (count) => plural(count, 'O primeiro produto', `Os primeiros ${count} produtos`),
  picturesFailed: (failed, all) =>
    `Não foi possível carregar ${failed} de ${counted(all, 'imagem', 'imagens')}. Os outros produtos são importados de qualquer forma.`,
  noPicture: 'Imagem não carregada',
  columns: 'Como são lidas as suas colunas',
  fields: {
    image_url: 'imagem',
    product_id: 'número do produto',
    name: 'nome',
    price: 'preço',
    sale_price: 'preço promocional',
    category: 'categoria',
    brand: 'marca',
    color_name: 'cor',
    in_stock: 'stock',
    url: 'endereço na sua loja',
    additional_image_urls: 'outras imagens',
    description: 'descrição',
    currency: 'moeda',
    tags: 'etiquetas',
    variant_group: 'grupo de variantes',
    sku: 'número do artigo',
    gtin: 'número do código de barras',
    rating: 'avaliação',
    sale_price_from: 'primeiro dia da promoção',
    sale_price_until: 'último dia da promoção',
  },
  tails: {
    image_url: 'parece ser a imagem',
    product_id: 'parece ser o número do produto',
    name: 'parece ser o nome',
    price: 'parece ser o preço',
    sale_price: 'parece ser o preço promocional',
    category: 'parece ser a categoria',
    brand: 'parece ser a marca',
    color_name: 'parece ser a cor',
    in_stock: 'diz o que há em stock',
    url: 'parece ser o endereço na sua loja',
    additional_image_urls: 'contém outras imagens',
    description: 'parece ser a descrição',
    currency: 'parece ser a moeda',
    tags: 'parece conter etiquetas',
    variant_group: 'reúne as variantes',
    sku: 'parece ser o número do artigo',
    gtin: 'parece ser o número do código de barras',
    rating: 'parece ser a avaliação',
    sale_price_from: 'diz quando começa a promoção',
    sale_price_until: 'diz quando termina a promoção',
  },
  keptAs: (key) => `mantém-se como “${key}”`,
  nothingFills: (field) => `Nenhuma coluna para: ${field}`,
  columnFor: (field) => `Coluna para: ${field}`,
  noColumn: 'Nenhuma coluna',
  openFields: 'Campos sem coluna',
  losses: 'O que se perderia',
  lossesHint: 'Nada lê estas colunas. Uma coluna mantida pode ser mostrada e usada para filtrar.',
  loss: (count) => `tem um valor em ${count} das primeiras linhas, por exemplo`,
  keep: 'Manter',
  keepAll: 'Manter todas',
  changes: 'O que muda',
  new: 'Novos',
  changed: 'Alterados',
  unchanged: 'Sem alterações',
  gone: 'Fora do ficheiro',
  hidden: (count) => `Rascunhos e produtos ocultos deixados de fora: ${count}.`,
  invalid: (count) => counted(count, 'linha não pode ser importada', 'linhas não podem ser importadas'),
  line: (line) => `Linha ${line}`,
  findings,
  problems,
  noticed: 'Reparámos nisto',
  choices: 'Importação',
  variants: 'Variantes',
  variantsTogether: 'Um produto com todas as variantes',
  variantsApart: 'Cada variante é um produto',
  missing: 'Produtos que não estão no ficheiro',
  missingKeep: 'Mantê-los',
  missingDelete: 'Eliminá-los',
  willDelete: (count) =>
    counted(
      count,
      'produto da loja e as suas imagens serão eliminados.',
      'produtos da loja e as suas imagens serão eliminados.',
    ),
  brake: (count, all) =>
    `Já não existem mesmo. ${count} de ${counted(all, 'produto', 'produtos')} não ${plural(count, 'está', 'estão')} neste ficheiro; um ficheiro cortado teria o mesmo aspeto.`,
  run: (count) => plural(count, `Importar ${count} produto`, `Importar ${count} produtos`),
  starting: 'A importação está a começar…',
  summary: (added, changed) => `novos: ${added}, alterados: ${changed}`,
  nothingToRun: 'Nenhuma linha deste ficheiro pode ser importada.',
  nightly: 'Repetir todas as noites a partir de um endereço',
  nightlyAddress: 'Endereço do ficheiro',
  nightlyHint:
    'Onde a sua loja coloca sempre a mesma exportação, atualizada. É lida de imediato e depois a cada 24 horas, com o que escolheu aqui.',
  nightlyMake: 'Repetir todas as noites',
  feedMade: 'O ficheiro está a ser lido agora e depois será lido a cada 24 horas.',
  toFeeds: 'Mostrar os feeds',
}
