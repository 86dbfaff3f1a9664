import { pluralsIn } from '../../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pt')

export const texts: Texts = {
  hint: 'O modelo transforma imagens e palavras naquilo que é comparado. As pesquisas continuam enquanto as lojas passam para outro.',
  modelDirSet:
    'A definição MODEL_DIR escolhe o modelo, por isso não pode ser mudado aqui. Retire primeiro a definição e reinicie o serviço.',
  here: 'Nesta máquina',
  known: 'Podem ser obtidos',
  allHere: 'Todos os modelos conhecidos estão nesta máquina.',
  states: { in_use: 'Em uso', here: 'Pronto', known: 'Não está aqui', broken: 'Não pode ser usado' },
  bundled: 'parte do programa',
  statuses: { confirmed: 'Hashes confirmados', unconfirmed: 'Hashes por confirmar' },
  license: 'Licença',
  languages: 'Línguas',
  size: 'No disco',
  memory: 'Memória',
  speed: 'Velocidade',
  dimension: 'Comprimento de um vetor',
  speedOf: (picture, text) => `${picture} ms por imagem, ${text} ms por texto`,
  notMeasured: 'não medido',
  suits: {
    'clip-vit-base-patch32':
      'Qualquer loja numa máquina pequena: o primeiro passo além do modelo incluído, ao menor custo.',
    'clip-vit-base-patch16':
      'Lojas cujos produtos diferem em pequenos pormenores, como padrões e estampados, e cuja máquina tem tempo para indexar.',
    'mobileclip-s0': 'Ensaios nas máquinas mais pequenas; a licença destina-se à investigação.',
    'siglip-base-patch16-224':
      'Lojas com muitos tipos de produtos que se procuram com palavras; o melhor modelo geral desta lista.',
    'marqo-fashionsiglip': 'Lojas de roupa, calçado e acessórios.',
    'marqo-ecommerce-b':
      'Lojas e mercados com artigos de todo o género; aprendeu com imagens e títulos de produtos.',
  },

  fetch: (size) => `Obter (${size})`,
  fetchAtCommandLine:
    'Ninguém conseguiu confirmar os hashes dos seus ficheiros. É obtido na linha de comandos, que os mostra e pergunta se confia neles:',
  filesAtCommandLine: 'Mostra que ficheiros descarregar, de onde, e os seus hashes:',
  fetching: (name) => `${name} está a ser obtido`,
  fetchSteps: {
    download: 'A descarregar',
    copy: 'A copiar',
    load: 'A carregar pela primeira vez',
    measure: 'A medir a precisão e a velocidade',
    fit: 'A ajustar as pontuações',
  },
  lastFetch: 'Última transferência',
  cancelFetch: 'Parar a transferência',
  fetchEnds: {
    done: (name) => `${name} está aqui e pode ser usado.`,
    cancelled: (name) => `A transferência de ${name} foi parada. A próxima continua a partir daí.`,
    failed: (name) => `Não foi possível obter ${name}.`,
  },
  offline:
    'OFFLINE está ativo, por isso nada é obtido. Descarregue os ficheiros noutra máquina, traga a pasta para aqui, por exemplo numa pen USB, e adicione-a:',
  withoutNetwork: 'Sem rede, traga a pasta para aqui, por exemplo numa pen USB, e adicione-a:',
  ownFolder: 'Outro modelo',
  ownFolderHint:
    'Qualquer exportação de um modelo CLIP, MobileCLIP ou SigLIP para transformers.js pode ser adicionada a partir de uma pasta desta máquina. É testada antes de aparecer aqui:',
  guide: 'Que modelo, e o que a pasta deve conter',

  use: 'Passar para ele',
  useSure: (name) => `Passar todas as lojas para ${name}?`,
  useNow: (name) => `Passar para ${name}`,
  useHappens:
    'Todas as imagens são vetorizadas de novo em segundo plano, depois de todo o outro trabalho. Até uma loja estar pronta, as suas pesquisas respondem com o modelo atual; nada falta.',
  useBack:
    'Pode cancelar a qualquer momento. Durante sete dias após a passagem pode voltar de imediato, ou confirmá-la mais cedo.',
  useChecks: 'Os testes guardados das lojas são executados antes e depois, para que veja o que mudou.',
  useTime: 'Tempo',
  useTimeOf: (time, pictures) =>
    `cerca de ${time} para ${counted(pictures, 'imagem', 'imagens')}, se a máquina não fizer mais nada`,
  useTimeUnknown: 'ninguém mediu este modelo; o tempo restante aparece quando a passagem começar',
  useDisk: 'Espaço no disco',
  useMemory: 'Memória',
  useMemoryOf: (size) => `cerca de ${size} a mais até a passagem ser confirmada`,
  useChecked: 'O serviço verifica o espaço antes de começar, e recusa se não chegar.',
  changed: 'Alguém foi mais rápido, ou algo mudou. A página mostra agora o que existe.',

  moving: {
    use: (from, to) => `As lojas passam de ${from} para ${to}`,
    back: (from, to) => `As lojas voltam de ${from} para ${to}`,
    reindex: (_, to) => `Todas as imagens são vetorizadas de novo com ${to}`,
  },
  lastMove: 'Última passagem',
  moveEnds: {
    done: (to) => `Todas as lojas respondem com ${to}.`,
    cancelled: (to) => `A passagem para ${to} foi cancelada.`,
    failed: (to) => `A passagem para ${to} falhou. As lojas respondem como antes.`,
  },
  moveStarts: 'Está prestes a começar.',
  moveWaits: 'Está à espera e continua sozinha:',
  storesDone: (done, all) => `Lojas: ${done} de ${all}`,
  productsDone: (done, all) => `Produtos: ${done} de ${all}`,
  timeLeft: (time) => `faltam cerca de ${time}`,
  progress: 'Progresso da passagem',
  failed: (count) => `Produtos cuja imagem já não foi possível obter: ${count}`,
  failedHint:
    'As pesquisas com palavras continuam a encontrá-los. São tentados de novo quando alguém os altera.',
  furtherFailed: (count) => `e mais ${count}`,
  cancelMove: 'Cancelar a passagem',
  cancelSure: 'Cancelar a passagem?',
  cancelHappens: 'As lojas que já passaram voltam ao modelo anterior, cujos vetores ainda existem.',
  goOn: 'Deixar continuar',

  former: 'O caminho de volta',
  formerUntil: (name, until) =>
    `Os vetores de ${name} são guardados até ${until}. Até lá, todas as lojas podem voltar a ele; antes só é vetorizado o que mudou desde então.`,
  back: (name) => `Voltar a ${name}`,
  backSure: (name) => `Voltar a ${name}?`,
  backHappens:
    'Cada loja responde com ele assim que estiver vetorizado o que mudou desde a passagem; quase sempre é de imediato.',
  confirm: (name) => `Ficar com ${name} de vez`,
  confirmSure: (name) => `Ficar com ${name} de vez?`,
  confirmHappens: (former) =>
    `Os vetores de ${former} são eliminados, o que liberta disco e memória. Depois não há um caminho de volta rápido.`,

  remove: 'Eliminar os seus ficheiros',
  removeSure: (name) => `Eliminar os ficheiros de ${name}?`,
  removeHappens: (size) =>
    `Isso liberta ${size} no disco. Para o usar de novo, alguém terá de o trazer outra vez.`,

  checks: 'Testes guardados antes e depois',
  checksHint:
    'Pesquisas cujos resultados certos as pessoas de uma loja anotaram. São executadas antes de uma loja mudar de modelo e depois.',
  noChecks: 'Nenhuma loja tem testes guardados. As pessoas da loja guardam-nos na página «Experimentar».',
  checksNow: 'Agora',
  checksBefore: 'Antes',
  checksChange: 'Diferença',
  pass: (passed, total) => `${passed} de ${total} passam`,
  notRun: 'Ainda não executados',
  runsNow: 'Em curso',
  better: (count) => `mais ${count}`,
  worse: (count) => `menos ${count}`,
  same: 'Como antes',
  store: 'Loja',
}
