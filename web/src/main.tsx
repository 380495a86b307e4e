import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/typeface.css'
import './styles/tokens.css'
import './styles/base.css'
import { App } from './app/app.tsx'
import { preload } from './app/route-chunks.tsx'
import { LoadingScreen } from './components/loading-screen.tsx'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no element with the id "root"')

const root = createRoot(element)
const show = () =>
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  )

/** No loading screen before this (ms): rendering it delays the real one. */
const WAIT_UNSEEN_MS = 150

// The first rendering waits for all code of its route.
const arriving = preload(window.location.pathname)
if (arriving) {
  const timer = window.setTimeout(() => root.render(<LoadingScreen />), WAIT_UNSEEN_MS)
  void arriving.then(() => {
    window.clearTimeout(timer)
    show()
  })
} else show()
