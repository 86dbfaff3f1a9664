import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pt')

const countSearches = (count: string) => counted(count, 'pesquisa', 'pesquisas')
const countClicks = (count: string) => counted(count, 'clique', 'cliques')

export const texts: Texts = {
  heading: 'A pesquisa na sua loja',
  lead: 'Uma linha de HTML coloca a pesquisa por imagem na sua loja. Siga de cima para baixo; tudo pode ser alterado mais tarde.',
  noRights:
    'A sua função não permite ver as chaves do widget. Um proprietário, administrador ou programador pode vê-las.',
  factsLocked: 'Só proprietários e administradores podem alterar isto.',
  saved: 'Guardado',
  system: 'Em que sistema funciona a sua loja?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Outro',
  },
  origin: 'Onde está a sua loja?',
  shopAddress: 'Endereço da sua loja',
  shopAddressHint: 'Como um cliente o escreve, por exemplo www.shop.example',
  badAddress: 'Isto não é o endereço de um site. Deve ser como www.shop.example.',
  allowed: 'O widget funciona nestes endereços e em mais lado nenhum:',
  makeKey: 'Criar a chave',
  makingKey: 'A criar a chave…',
  key: 'Chave',
  keyHint: 'A chave é pública: está em todas as páginas da loja e só funciona nos endereços que indica.',
  keyUnknown: 'Esta chave é anterior à lista e não pode ser mostrada. Crie uma nova para obter o código.',
  addAddress: 'Adicionar um endereço',
  add: 'Adicionar',
  removeAddress: (origin) => `Remover ${origin}`,
  saveAddresses: 'Guardar os endereços',
  anotherKey: 'Criar outra chave',
  revoke: 'Revogar esta chave',
  revokeSure: (name) => `Revogar a chave “${name}”?`,
  revokeSeen: (origin, ago) => `A pesquisa desaparece de ${origin}, onde foi usada pela última vez ${ago}.`,
  revokeUnseen: 'Nenhuma loja usou ainda esta chave.',
  revokeEnd: 'As páginas com esta chave vão precisar de outra. Uma chave revogada não pode ser recuperada.',
  address: 'Onde abrem os seus produtos?',
  addressHint:
    'Os produtos com endereço próprio mantêm-no. Nos restantes, {product_id}, {sku} ou outro campo representa o valor do produto.',
  template: 'Endereço de um produto',
  test: 'Experimentar com três produtos',
  testing: 'A experimentar…',
  save: 'Guardar este endereço',
  opens: (path) => `abre ${path}`,
  answers: (path, status) =>
    status === 404 ? `${path}: a loja não tem esta página (404)` : `${path}: a loja responde ${status}`,
  noneFits: 'Nenhum dos seus primeiros 20 produtos tem todos os campos deste endereço. Escolha outro campo.',
  unreachable: (path, why) => `${path}: ${why}`,
  why: {
    url_not_allowed: 'este endereço não pode ser aberto a partir daqui.',
    blocked_address:
      'o serviço não pode aceder a esta rede. Se funciona sem rede, ou se a loja está numa rede interna, abra o endereço no seu navegador.',
    dns: 'não há nenhum site com esse nome.',
    connect: 'a loja não responde. Se o serviço não tem rede, abra o endereço no seu navegador.',
    timeout: 'a loja demora demasiado a responder.',
    tls: 'o certificado da loja não é válido.',
    too_large: 'a página tem mais de 2 MiB.',
    too_many_redirects: 'a loja redireciona os visitantes em círculo.',
    not_a_page: 'isto não é uma página HTML.',
    http_status: 'a loja recusa esta página.',
  },
  look: 'Que aspeto tem?',
  language: 'Língua',
  asPage: 'Como a página da loja',
  theme: 'Luminosidade',
  themes: { auto: 'Como o visitante preferir', light: 'Claro', dark: 'Escuro' },
  mode: 'Abre',
  modes: { modal: 'por cima da página', inline: 'dentro da página' },
  place: 'Câmara',
  places: { tag: 'onde está a linha', field: 'no campo de pesquisa da loja' },
  selector: 'Seletor do campo de pesquisa',
  colour: 'Cor dos botões',
  colourHint: 'O conta-gotas do campo de cor tira uma cor de uma captura de ecrã ou da loja noutra janela.',
  consent: 'Não guardar nada antes do consentimento do visitante',
  preview: 'Com os seus produtos',
  phone: 'Telemóvel',
  desktop: 'Computador',
  previewNeedsKey: 'A pré-visualização aparece quando a loja tiver uma chave.',
  previewNoSearch: 'A sua função não permite pesquisar, por isso não há pré-visualização.',
  previewTitle: 'Pré-visualização do widget',
  reload: 'Abrir a pré-visualização de novo',
  previewHint: 'Uma pré-visualização termina após 15 minutos. Não conta para nada.',
  snippet: 'Colocar na loja',
  snippetHint: (origins) =>
    `Adicione esta linha antes de </body>. A chave é pública e só funciona em ${origins}.`,
  copySnippet: 'Copiar a linha',
  download: 'Descarregar lookalike.php',
  downloadHint: 'Já contém a sua chave; também comunica carrinhos e compras e leva do resultado ao produto.',
  css: 'As cores, numa folha de estilos da loja',
  policy: 'Se a loja tem uma Content-Security-Policy, acrescente-lhe',
  copyPolicy: 'Copiar a política',
  copyCss: 'Copiar as cores',
  send: 'Enviar ao meu programador',
  mailSubject: 'A pesquisa por imagem para a nossa loja',
  mailBody: (system, snippet, policy) =>
    `Olá,\n\npeço que coloque esta linha antes de </body> em todas as páginas da nossa loja${system}:\n\n${snippet}\n\n` +
    `Se a loja envia uma Content-Security-Policy, é preciso acrescentar:\n\n${policy}\n\n` +
    'A chave é pública e só funciona nos endereços da nossa loja. Como funciona e como comunicar carrinhos e compras: ',
  where: {
    woocommerce:
      'Coloque o ficheiro lookalike.php na pasta wp-content/mu-plugins/ da loja; se a pasta não existir, crie-a. Não é preciso mais nada.',
    shopify:
      'Loja virtual → Temas → “…” → Editar código → layout/theme.liquid, antes de </body>. As páginas do checkout não a executam: comunique as compras a partir do seu backend. Os ficheiros lookalike-shopify de uma versão fazem o mesmo com definições no editor de temas e listam os produtos para um feed.',
    shopware:
      'No seu tema: Resources/views/storefront/base.html.twig, no bloco base_body_script depois de {{ parent() }}. Em seguida, limpe a cache.',
    prestashop:
      'No seu tema: templates/layouts/layout-both-columns.tpl, antes de </body>. Em seguida, limpe a cache em Parâmetros avançados → Desempenho.',
    magento:
      'Content → Design → Configuration → a sua loja → Edit → Footer → Miscellaneous HTML. Indique o serviço em csp_whitelist.xml e limpe a cache.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3: catalog/view/theme/<o seu tema>/template/common/footer.twig), antes de </body>.',
    other: 'No modelo comum a todas as páginas da loja, antes de </body>.',
  },
  seen: 'Funciona?',
  seenOn: (origin, ago) => `Visto em ${origin} ${ago}`,
  counts: (searches, clicks) => `${countSearches(searches)} e ${countClicks(clicks)} em 7 dias`,
  notSeen: (origin) => `Ainda não visto em ${origin}.`,
  addLine: {
    clicks:
      'Chegam pesquisas, mas não cliques. Deixe o navegador seguir os links dos resultados ou comunique os cliques pelos seus meios.',
    carts: 'Chegam cliques, mas não carrinhos. Onde um produto entra no carrinho, adicione esta linha:',
    purchases:
      'Não chegam compras. Na página que agradece a encomenda, adicione esta linha para cada produto:',
  },
  check: 'Verificar a minha loja',
  checking: 'A verificar…',
  checkAddress: 'Página a verificar',
  checkHint: 'O serviço abre a página uma vez, como um desconhecido faria. Para isso precisa da rede.',
  facts: {
    snippet: ['A página tem a linha do widget.', 'A página não tem a linha do widget.'],
    key: ['Contém esta chave.', 'Contém uma chave diferente desta.'],
    origin: [
      'A chave indica o endereço da página.',
      'A chave não indica o endereço da página. Adicione-o acima.',
    ],
    policy: [
      'Nenhuma Content-Security-Policy impede o widget.',
      'A Content-Security-Policy da página impede o widget. Falta o serviço em: ',
    ],
  },
  byScript: 'Uma linha que outro script adiciona não se vê assim; o que conta é “Visto em …”.',
  events: 'Pesquisas à medida que chegam',
  watch: 'Observar',
  stop: 'Parar',
  watching: 'A observar. Pesquise na sua loja e a pesquisa aparece aqui em segundos.',
  nothingYet: 'Ainda não chegou nada da loja.',
  clicked: countClicks,
  found: (count) => counted(count, 'encontrado', 'encontrados'),
  byPicture: 'uma foto',
  bySimilar: 'um dos seus produtos',
  budget: (perMinute) => `Pesquisas permitidas por minuto: ${perMinute}.`,
  refused: (count) => `Recusadas hoje: ${count}.`,
  guide: 'Todas as opções, eventos e textos: o manual do widget',
}
