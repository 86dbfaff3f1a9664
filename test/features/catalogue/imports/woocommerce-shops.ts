/**
 * The titles of WooCommerce's product export as shops in these languages write them, and words for two products. The titles
 * are those of the plugin's public translations; the products are made up.
 */
export const WOOCOMMERCE_SHOPS = {
  German: {
    titles:
      'ID|Typ|Artikelnummer|Name|Veröffentlicht|Ist hervorgehoben?|Sichtbarkeit im Katalog|Kurzbeschreibung|Beschreibung|Datum, an dem Angebotspreis beginnt|Datum, an dem Angebotspreis endet|Steuerstatus|Steuerklasse|Vorrätig?|Lager|Lieferrückstande erlaubt?|Gewicht (kg)|Angebotspreis|Regulärer Preis|Kategorien|Schlagwörter|Versandklasse|Bilder|Übergeordnetes Produkt|Position|Attribut 1 Name|Attribut 1 Wert(e)',
    words: ['Kapuzenpulli', 'Kapuzenpulli - Blau', 'Bekleidung', 'Pullover', 'Farbe', 'Blau', 'Rot'],
  },
  French: {
    titles:
      "ID|Type|UGS|Nom|Publié|Mis en avant ?|Visibilité dans le catalogue|Description courte|Description|Date de début de promo|Date de fin de promo|État de la TVA|Classe TVA|En stock ?|Stock|Autoriser les commandes de produits en rupture ?|Poids (kg)|Tarif promo|Tarif régulier|Catégories|Étiquettes|Classe de livraison|Images|Parent|Position|Nom de l'attribut 1|Valeur(s) de l'attribut 1",
    words: ['Sweat à capuche', 'Sweat à capuche - Bleu', 'Vêtements', 'Sweats', 'Couleur', 'Bleu', 'Rouge'],
  },
  Spanish: {
    titles:
      'ID|Tipo|SKU|Nombre|Publicado|¿Está destacado?|Visibilidad en el catálogo|Descripción corta|Descripción|Día en que empieza el precio rebajado|Día en que termina el precio rebajado|Estado del impuesto|Clase de impuesto|¿Existencias?|Inventario|¿Permitir reservas de productos agotados?|Peso (kg)|Precio rebajado|Precio normal|Categorías|Etiquetas|Clase de envío|Imágenes|Superior|Posición|Nombre del atributo 1|Valor(es) del atributo 1',
    words: [
      'Sudadera con capucha',
      'Sudadera con capucha - Azul',
      'Ropa',
      'Sudaderas',
      'Color',
      'Azul',
      'Rojo',
    ],
  },
  Italian: {
    titles:
      "ID|Tipo|COD|Nome|Pubblicato|In primo piano?|Visibilità nel catalogo|Breve descrizione|Descrizione|Data di partenza del prezzo in saldo|Data in cui termina l'offerta|Stato delle imposte|Aliquota di imposta|In stock?|Magazzino|Abilita gli ordini arretrati?|Peso (kg)|Prezzo in offerta|Prezzo di listino|Categorie|Tag|Classe di spedizione|Immagine|Genitore|Posizione|Attributo 1 nome|Attributo 1 valuta(e)",
    words: [
      'Felpa con cappuccio',
      'Felpa con cappuccio - Blu',
      'Abbigliamento',
      'Felpe',
      'Colore',
      'Blu',
      'Rosso',
    ],
  },
  Dutch: {
    titles:
      'ID|Type|Artikelnummer|Naam|Gepubliceerd|Uitgelicht?|Zichtbaarheid in catalogus|Korte omschrijving|Beschrijving|Startdatum actieprijs|Einddatum actieprijs|Btw status|Belastingklasse|Op voorraad?|Voorraad|Nabestellingen toestaan?|Gewicht (kg)|Actieprijs|Reguliere prijs|Categorieën|Tags|Verzendklasse|Afbeeldingen|Hoofd|Positie|Naam eigenschap 1|Waarde eigenschap 1',
    words: ['Trui met capuchon', 'Trui met capuchon - Blauw', 'Kleding', 'Truien', 'Kleur', 'Blauw', 'Rood'],
  },
  Polish: {
    titles:
      'ID|Typ|SKU|Nazwa|Opublikowano|Wyróżniony produkt?|Widoczność w katalogu|Krótki opis|Opis|Data rozpoczęcia promocji|Data zakończenia promocji|Status podatku|Klasa podatkowa|W magazynie?|Stan magazynowy|Pozwalać na zamówienia oczekujące (na dostawę do magazynu)?|Waga (kg)|Cena promocyjna|Cena|Kategorie|Tagi|Klasa wysyłkowa|Obrazki|Element nadrzędny|Pozycja|Nazwa atrybutu 1|Wartości atrybutu 1',
    words: [
      'Bluza z kapturem',
      'Bluza z kapturem - Niebieski',
      'Odzież',
      'Bluzy',
      'Kolor',
      'Niebieski',
      'Czerwony',
    ],
  },
  'Portuguese of Brazil': {
    titles:
      'ID|Tipo|SKU|Nome|Publicado|Em destaque?|Visibilidade no catálogo|Descrição curta|Descrição|Data de preço promocional começa em|Data de preço promocional termina em|Status do imposto|Classe de imposto|Em estoque?|Estoque|São permitidas encomendas?|Peso (kg)|Preço promocional|Preço|Categorias|Tags|Classe de entrega|Imagens|Ascendente|Posição|Nome do atributo 1|Valores do atributo 1',
    words: ['Moletom com capuz', 'Moletom com capuz - Azul', 'Roupas', 'Moletons', 'Cor', 'Azul', 'Vermelho'],
  },
  Portuguese: {
    titles:
      'ID|Tipo|REF|Nome|Publicado|Em destaque?|Visibilidade no catálogo|Descrição breve|Descrição|Data de início do preço promocional|Data de término do preço promocional|Situação fiscal|Classe de imposto|Em stock?|Qtd Stock|Permitir encomendas pendentes?|Peso (kg)|Preço promocional|Preço normal|Categorias|Etiquetas|Classe de envio|Imagens|Pai|Posição|Atributo 1 nome|Atributo 1 valor(es)',
    words: [
      'Camisola com capuz',
      'Camisola com capuz - Azul',
      'Roupa',
      'Camisolas',
      'Cor',
      'Azul',
      'Vermelho',
    ],
  },
  Russian: {
    titles:
      'ID|Тип|Артикул|Имя|Опубликован|Рекомендуемый?|Видимость в каталоге|Краткое описание|Описание|Дата начала действия скидки|Дата окончания действия скидки|Статус налога|Налоговый класс|В наличии?|Запасы|Возможен ли предзаказ?|Вес (кг)|Акционная цена|Базовая цена|Категории|Метки|Класс доставки|Изображения|Родительский|Позиция|Название атрибута 1|Значения атрибутов 1',
    words: ['Толстовка', 'Толстовка - Синий', 'Одежда', 'Толстовки', 'Цвет', 'Синий', 'Красный'],
  },
} as const
