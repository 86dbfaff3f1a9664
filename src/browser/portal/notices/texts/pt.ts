import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('pt')

const products = (count: string) => counted(count, 'produto', 'produtos')

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `Na última tarefa com falhas, ${plural(failed, 'falhou', 'falharam')} ${failed} de ${products(total)}.`,
  import_warnings: ({ count }) => `A última importação tem ${counted(count, 'aviso', 'avisos')}.`,
  feeds_failing: ({ feeds, failures }) =>
    `Não foi possível ler ${counted(feeds, 'feed', 'feeds')}${plural(failures, '', `, até ${failures} vezes seguidas`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'feed não eliminou', 'feeds não eliminaram')} nada na última leitura, porque faltavam demasiados produtos.`,
  products_without_name: ({ products: count, total }) =>
    `${count} de ${products(total)} não ${plural(count, 'tem', 'têm')} nome.`,
  products_without_price: ({ products: count, total }) =>
    `${count} de ${products(total)} não ${plural(count, 'tem', 'têm')} preço.`,
  products_without_category: ({ products: count, total }) =>
    `${count} de ${products(total)} não ${plural(count, 'tem', 'têm')} categoria.`,
  products_without_address: ({ products: count, total }) =>
    `${count} de ${products(total)} não ${plural(count, 'leva', 'levam')} a lado nenhum: falta o endereço na loja.`,
  products_sold_out: ({ products: count, total }) =>
    `${count} de ${products(total)} ${plural(count, 'está esgotado', 'estão esgotados')}.`,
  catalogue_report: ({ count }) =>
    `O relatório do catálogo assinala ${counted(count, 'ponto', 'pontos')} a corrigir.`,
  no_clicks: ({ searches, days }) =>
    `${counted(searches, 'pesquisa', 'pesquisas')} em ${counted(days, 'dia', 'dias')}, e não chega nenhum clique.`,
  clicks_unattributed: () =>
    'Chegam cliques, mas não indicam a pesquisa, por isso não se sabe o que os originou.',
  clicks_partial: () => 'Algumas páginas pesquisam e não comunicam cliques.',
  no_purchases: () => 'Chegam pesquisas e cliques, mas não compras.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} de ${counted(searches, 'pesquisa', 'pesquisas')} em ${counted(days, 'dia', 'dias')} não ${plural(zero_results, 'encontrou', 'encontraram')} nada.`,
  unmet_demand: ({ searches }) =>
    `Os clientes mostraram ${counted(searches, 'imagem', 'imagens')} para ${plural(searches, 'a qual', 'as quais')} a loja não tem nada parecido.`,
  products_near_limit: ({ percent, used, limit }) =>
    `O plano está a ${percent}%: ${used} de ${products(limit)}.`,
  storage_near_limit: ({ percent }) => `As imagens ocupam ${percent}% do espaço do plano.`,
  api_keys_expiring: ({ keys }) =>
    `${counted(keys, 'chave de API expira', 'chaves de API expiram')} nos próximos 30 dias.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'chave de API', 'chaves de API')} de antigos membros já não ${plural(keys, 'serve', 'servem')} para nada.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Os envios para ${counted(webhooks, 'webhook', 'webhooks')} falham${disabled === '0' ? '' : `; desativados por isso: ${disabled}`}.`,
  own_2fa_missing: () => 'A sua conta não tem segundo fator.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'outro membro não tem', 'outros membros não têm')} segundo fator.`,
}
