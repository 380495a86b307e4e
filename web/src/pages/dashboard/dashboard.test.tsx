import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { openApp, signedInAsAna } from '#testing/app.tsx'
import { ANA, COUPLE, LUIS } from '#testing/backend.ts'
import { dayOfThisMonth, rowOf } from '#testing/rows.ts'

const PATH = '/rest/v1/actividades'

async function openDashboard(rows: readonly object[]) {
  signedInAsAna(rows)
  const opened = await openApp('/dashboard')
  await screen.findByRole('heading', { name: 'Hola, Ana' })
  return opened
}

const item = (title: string) => screen.findByRole('article', { name: title })

describe('the dashboard', () => {
  it('counts, adds, and lists the open month', async () => {
    await openDashboard([
      rowOf({ id: 'Cena', estado: 'aceptado', aceptado_por: LUIS, presupuesto: '48.00' }),
      rowOf({ id: 'Cine', creador_id: LUIS }),
      rowOf({ id: 'Viaje', fecha: '2099-01-01', estado: 'aceptado', presupuesto: 0.5 }),
    ])
    const cena = await item('Cena')
    expect(within(cena).getByText('Aceptado')).toBeVisible()
    expect(within(cena).getByText('Propuesta por ti')).toBeVisible()
    expect(screen.queryByRole('article', { name: 'Viaje' })).not.toBeInTheDocument()
    const summary = screen.getByRole('region', { name: 'Resumen' })
    const figures = within(summary).getAllByRole('definition')
    expect(figures.map((figure) => figure.textContent)).toEqual(['1', '2', '48,50\u00a0€'])
  })

  it('says so when the month is empty', async () => {
    await openDashboard([])
    expect(await screen.findByText('No hay actividades planeadas este mes')).toBeVisible()
  })

  it('lets the partner answer and the creator delete, and nobody else', async () => {
    await openDashboard([
      rowOf({ id: 'Mía' }),
      rowOf({ id: 'Suya', creador_id: LUIS }),
      rowOf({ id: 'Hecha', creador_id: LUIS, estado: 'aceptado', aceptado_por: ANA }),
    ])
    const names = async (title: string) =>
      within(await item(title))
        .queryAllByRole('button')
        .map((button) => button.getAttribute('aria-label')?.split(':')[0])
    expect(await names('Suya')).toEqual(expect.arrayContaining(['Aceptar', 'Rechazar']))
    expect(await names('Suya')).not.toContain('Eliminar')
    expect(await names('Mía')).toContain('Eliminar')
    expect(await names('Mía')).not.toContain('Aceptar')
    expect(await names('Hecha')).not.toContain('Aceptar')
  })

  it('accepts, says so, and shows what the server has then', async () => {
    const rows = [rowOf({ id: 'Cine', creador_id: LUIS })]
    const { user, backend } = await openDashboard(rows)
    backend.on('PATCH', PATH, ({ body }) => {
      rows[0] = { ...rowOf({ id: 'Cine', creador_id: LUIS }), ...(body as object) }
      return { body: [{ id: 'Cine' }] }
    })
    await user.click(await screen.findByRole('button', { name: 'Aceptar: Cine' }))
    expect(await screen.findByText('¡Actividad aceptada!')).toBeInTheDocument()
    expect(await within(await item('Cine')).findByText('Aceptado')).toBeVisible()
    expect(await item('Cine')).toHaveFocus()
  })

  it('says that an answer failed when no row came back, and reloads', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { user, backend } = await openDashboard([rowOf({ id: 'Cine', creador_id: LUIS })])
    backend.on('PATCH', PATH, () => ({ body: [] }))
    await screen.findByRole('button', { name: 'Rechazar: Cine' })
    const before = backend.called('GET', PATH).length
    await user.click(screen.getByRole('button', { name: 'Rechazar: Cine' }))
    expect(await screen.findByText('Error al actualizar actividad')).toBeInTheDocument()
    await waitFor(() => expect(backend.called('GET', PATH).length).toBe(before + 1))
  })

  it('asks before deleting, then leads the focus on', async () => {
    let rows = [rowOf({ id: 'Cena' }), rowOf({ id: 'Cine' })]
    const { user, backend } = await openDashboard([])
    backend
      .on('GET', PATH, () => ({ body: rows }))
      .on('DELETE', PATH, () => {
        rows = rows.slice(1)
        return { body: [{ id: 'Cena' }] }
      })
    window.dispatchEvent(new Event('offline'))
    window.dispatchEvent(new Event('online'))
    await user.click(await screen.findByRole('button', { name: 'Eliminar: Cena' }))
    const question = await screen.findByRole('alertdialog', {
      name: '¿Estás seguro de eliminar esta actividad?',
    })
    expect(question).toHaveAccessibleDescription('Cena')
    expect(within(question).getByRole('button', { name: 'Cancelar' })).toHaveFocus()
    await user.click(within(question).getByRole('button', { name: 'Eliminar' }))
    expect(await screen.findByText('Actividad eliminada')).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByRole('article', { name: 'Cena' })).toBeNull())
    expect(await item('Cine')).toHaveFocus()
  })

  it('creates on the day that was clicked, and keeps only the date', async () => {
    const { user, backend } = await openDashboard([])
    backend.on('POST', PATH, () => ({ status: 201 }))
    const grid = screen.getByRole('grid')
    await user.click(within(grid).getByRole('button', { name: /, 15 de / }))
    const dialog = await screen.findByRole('dialog', { name: 'Nueva Actividad' })
    expect(await within(dialog).findByLabelText('Título')).toHaveFocus()
    expect(await within(dialog).findByLabelText('Fecha')).toHaveValue(dayOfThisMonth(15))
    await user.click(within(dialog).getByRole('button', { name: 'Crear actividad' }))
    expect(within(dialog).getByText('El título es requerido')).toBeVisible()
    await user.type(within(dialog).getByLabelText('Título'), 'Teatro')
    await user.type(within(dialog).getByLabelText('Presupuesto'), '12,50')
    await user.click(within(dialog).getByRole('button', { name: 'Crear actividad' }))
    expect(await screen.findByText('¡Actividad creada!')).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(screen.getByRole('button', { name: /, 15 de / })).toHaveFocus())
    expect(backend.called('POST', PATH)[0]?.body).toEqual({
      titulo: 'Teatro',
      descripcion: null,
      fecha: dayOfThisMonth(15),
      presupuesto: 12.5,
      estado: 'pendiente',
      creador_id: ANA,
      pareja_id: COUPLE,
    })
    await user.click(screen.getByRole('button', { name: 'Nueva Actividad' }))
    const again = await screen.findByRole('dialog')
    expect(await within(again).findByLabelText('Título')).toHaveValue('')
    expect(await within(again).findByLabelText('Fecha')).toHaveValue(dayOfThisMonth(15))
  })

  it('keeps what was typed when the dialog is closed by accident', async () => {
    const { user } = await openDashboard([])
    await user.click(screen.getByRole('button', { name: 'Nueva Actividad' }))
    await user.type(await screen.findByLabelText('Título'), 'Teatro')
    await user.keyboard('{Escape}')
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Nueva Actividad' })).toHaveFocus(),
    )
    await user.click(screen.getByRole('button', { name: 'Nueva Actividad' }))
    expect(await screen.findByLabelText('Título')).toHaveValue('Teatro')
  })
})
