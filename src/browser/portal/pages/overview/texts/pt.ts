import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pt')

const countSearches = (count: string) => counted(count, 'pesquisa', 'pesquisas')

export const texts: Texts = {
  fact: (searches, clicks) => `${countSearches(searches)} em 7 dias, ${counted(clicks, 'clique', 'cliques')}`,
  quiet: 'Nenhuma pesquisa nos últimos 7 dias',
  empty: 'A sua loja está pronta',
  searches: 'Pesquisas',
  clicks: 'Cliques',
  orders: 'Encomendas',
  revenue: 'Receita',
  products: 'Produtos',
  before: (value) => `${value} na semana anterior`,
  plot: 'Pesquisas por dia',
  plotText: (now, before) => `${countSearches(now)} nos últimos 7 dias, ${before} nos 7 dias anteriores.`,
  thisWeek: 'Últimos 7 dias',
  lastWeek: '7 dias anteriores',
  noticed: 'Reparámos nisto',
  allWell: 'Nada precisa da sua atenção.',
  latest: 'Últimas pesquisas',
  noneYet: 'As pesquisas aparecem aqui à medida que chegam. Faça uma em “Experimentar”.',
  tryOne: 'Experimentar uma pesquisa',
  byPicture: 'Uma imagem',
  bySimilar: 'Parecido com um produto',
  found: (count) => counted(count, 'encontrado', 'encontrados'),
  nothing: 'nada encontrado',
  checklist: 'Próximos passos',
  steps: {
    products: 'Adicionar produtos',
    first_search: 'Fazer uma primeira pesquisa',
    shop_address: 'Indicar o endereço da loja',
    widget_seen: 'Colocar a pesquisa na loja',
    first_click: 'Ver o primeiro clique',
    second_factor: 'Proteger o início de sessão com um segundo fator',
  },
  done: 'feito',
  todo: 'por fazer',
  noRights: 'Não tem permissão para ver os números desta loja. O proprietário pode dá-la.',
}
