import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { MonthCalendar } from './month-calendar.tsx'

const TODAY = '2026-11-21'

const byDay = new Map([
  [
    TODAY,
    [
      {
        id: 'a',
        estado: 'pendiente' as const,
        titulo: 'Cine',
        fecha: '2026-03-03',
        creador_id: 'x',
      },
    ],
  ],
])

function Host({ onDay }: { onDay: (fecha: string) => void }) {
  const [mes, setMes] = useState('2026-11')
  return (
    <MonthCalendar
      mes={mes}
      today={TODAY}
      byDay={byDay}
      special={new Map()}
      onMonth={setMes}
      onDay={onDay}
      focusRequest={null}
    />
  )
}

function show() {
  const onDay = vi.fn()
  render(<Host onDay={onDay} />)
  return { user: userEvent.setup(), onDay }
}

const focused = () => document.activeElement?.getAttribute('data-fecha')

describe('the calendar', () => {
  it('is a grid named by its month, with one stop in the tab order', async () => {
    const { user } = show()
    expect(screen.getByRole('grid', { name: 'noviembre de 2026' })).toBeInTheDocument()
    await user.tab()
    await user.tab()
    await user.tab()
    expect(focused()).toBe(TODAY)
    await user.tab()
    expect(document.body).toHaveFocus()
  })

  it('marks today and names its day in full', () => {
    show()
    const today = screen.getByRole('button', { current: 'date' })
    expect(today).toHaveAccessibleName(
      'sábado, 21 de noviembre de 2026, hoy, 1 actividad: 1 pendiente',
    )
  })

  it('moves with the keys, across months too, and opens the day', async () => {
    const { user, onDay } = show()
    screen.getByRole('button', { current: 'date' }).focus()
    await user.keyboard('{ArrowDown}{ArrowDown}')
    expect(screen.getByRole('heading')).toHaveTextContent('diciembre de 2026')
    expect(focused()).toBe('2026-12-05')
    await user.keyboard('{Enter}')
    expect(onDay).toHaveBeenCalledExactlyOnceWith('2026-12-05')
    await user.keyboard('{Control>}{Home}{/Control}')
    expect(focused()).toBe(TODAY)
  })

  it('goes from month to month, and offers «Hoy» only away from it', async () => {
    const { user } = show()
    expect(screen.queryByRole('button', { name: 'Hoy' })).not.toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Mes siguiente' }))
    expect(screen.getByRole('heading')).toHaveTextContent('diciembre de 2026')
    await user.click(screen.getByRole('button', { name: 'Hoy' }))
    expect(screen.getByRole('heading')).toHaveTextContent('noviembre de 2026')
    await user.click(screen.getByRole('button', { name: 'Mes anterior' }))
    expect(screen.getByRole('heading')).toHaveTextContent('octubre de 2026')
  })
})
