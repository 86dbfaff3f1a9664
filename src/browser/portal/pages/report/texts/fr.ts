import { formatNumber } from '../../../language.ts'
import type { texts as English } from './en.ts'

export const texts: typeof English = {
  heading: 'Rapport sur le catalogue',
  make: 'Vérifier maintenant',
  waiting: 'Un nouveau rapport est en préparation. Il arrive au plus tôt cinq minutes après le précédent.',
  lookedAt: (n: number): string => (n === 1 ? '1 produit, examiné' : `${formatNumber(n)} produits, examinés`),
  none: 'Pas encore de rapport',
  noneHint: 'Chaque nuit, nous cherchons les images et les données qui ne vont pas ensemble.',
  fine: 'Rien à corriger',
  fineHint: 'Les images et les données de vos produits vont ensemble, autant que nous puissions en juger.',
  kinds: {
    dead_link: 'Images impossibles à charger',
    shared_picture: 'Une image, plusieurs produits',
    category_mismatch: 'L’image contredit la catégorie',
    color_mismatch: 'L’image contredit la couleur',
    near_duplicate: 'Probablement deux fois le même produit',
    tiny_picture: 'Images très petites',
    no_words: 'Produits sans mots',
  },
  hints: {
    dead_link: 'Corrigez l’adresse de l’image et importez à nouveau le produit.',
    shared_picture: 'Peut-être une image provisoire. Une recherche par image ne trouve pas ces produits.',
    category_mismatch: 'Seulement les catégories que nous reconnaissons bien chez vos autres produits.',
    color_mismatch: 'Seulement les couleurs que vos autres produits montrent nettement.',
    near_duplicate: 'Les deux montrent la même image. Les variantes vont dans un groupe.',
    tiny_picture: 'Sous 150 pixels de côté, on reconnaît peu de choses. Envoyez des images plus grandes.',
    no_words: 'Un nom et une catégorie suffisent pour les trouver par des mots.',
  },
  andMore: (n: number): string => (n === 1 ? 'et 1 autre' : `et ${formatNumber(n)} autres`),
  category: (own: string, seems: string): string =>
    `Sa catégorie est « ${own} », et l’image ressemble à « ${seems} ».`,
  colour: (name: string): string => `Sa couleur est « ${name} », et l’image n’en montre rien.`,
  shared: (n: number): string => `${formatNumber(n)} produits ont cette image.`,
  pixels: (width: number, height: number): string => `${width} × ${height} pixels`,
  twin: 'La même image que',
  mute: 'Ni nom, ni catégorie, ni marque, ni description, ni mots-clés',
}
