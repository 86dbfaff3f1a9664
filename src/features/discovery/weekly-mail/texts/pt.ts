import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store}: ${searches} pesquisas na semana passada`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Pesquisas',
  clicked: 'Pesquisas com clique',
  revenue: 'Receita',
  orders: (count) => `encomendas: ${count}`,
  before: (value) => `na semana anterior: ${value}`,
  missed: 'Procurado e não encontrado',
  photos: 'Fotos sem resultado parecido',
  unknownPhotos: 'algo que nenhuma categoria nomeia',
  soldOut: 'Esgotado, e procurado',
  searchedTimes: (count) => `pesquisas: ${count}`,
  clickedTimes: (count) => `cliques: ${count}`,
  advice: 'O que mais ajuda agora',
  advices: {
    'track-clicks': [
      'Houve pesquisas, mas nenhum clique foi comunicado. Verifique se o widget, ou o código da sua loja, comunica os cliques.',
      'Verificar o registo',
    ],
    restock: [
      'Os clientes clicam em produtos esgotados. Reponha-os, ou fixe no topo o que os possa substituir.',
      'Abrir os produtos',
    ],
    'name-missed': [
      'Diga à pesquisa o que estas palavras significam na sua loja, ou adicione um produto assim.',
      'Abrir as estatísticas',
    ],
    photos: [
      'Veja o que os clientes fotografam e não encontram. Talvez queira vendê-lo.',
      'Abrir as estatísticas',
    ],
    'track-purchases': [
      'Os clientes clicam, mas nenhuma compra foi comunicada. Comunique as compras para ver quanto rende a pesquisa.',
      'Ver como',
    ],
    try: [
      'Está tudo em ordem. Faça uma pesquisa como um cliente, e veja se gosta do que aparece primeiro.',
      'Experimentar uma pesquisa',
    ],
  },
  why: 'Recebe esta mensagem às segundas-feiras porque esta loja é sua.',
  unsubscribe: 'Cancelar a subscrição',
}
