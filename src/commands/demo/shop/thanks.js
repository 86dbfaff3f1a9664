for (const [id, value] of [
  ['demo-mug-red', 14.5],
  ['demo-mug-black', 18],
]) {
  window.ServiceWidget.trackPurchase(id, {
    order_value: value,
    currency: 'EUR',
    quantity: 1,
    order_id: '1001',
  })
}
